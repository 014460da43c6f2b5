import Foundation
import Sallyport
import TestSupport
import Testing

@testable import SallyportJourney

@Suite(.concurrencyLimited) struct PushEnrollmentTests {
    private let fixture = PushFixture()

    @Test(arguments: ["s", "c", "m", "r", "a"])
    func `A URI without a required parameter is refused`(_ name: String) {
        expectError(\MechanismError.reason, .missingParameter(name)) {
            try PushEnrollment(fixture.uri("pushauth://push/Example:alice", [name: nil]))
        }
        expectError(\MechanismError.reason, .missingParameter(name)) {
            try PushEnrollment(fixture.uri("pushauth://push/Example:alice", [name: ""]))
        }
    }

    @Test(
        arguments: [
            ("s", "%%25"), ("s", "a"), ("c", "?"), ("r", "____"), ("a", "/w"), ("l", "bm9uZQ"), ("l", "YT1iDQo"),
        ]
    )
    func `A parameter with an invalid value is refused`(_ name: String, _ value: String) {
        expectError(\MechanismError.reason, .invalidParameter(name)) {
            try PushEnrollment(fixture.uri("pushauth://push/Example:alice", [name: value]))
        }
    }

    @Test func `A secret of more than 1,024 bytes is refused`() {
        let fixture = PushFixture(secret: Data(count: 1025))
        expectError(\MechanismError.reason, .invalidParameter("s")) { try PushEnrollment(fixture.uri()) }
    }

    @Test func `A secret of less than 16 bytes is refused, and nothing is sent or stored`() async throws {
        for count in [1, 15] {
            let fixture = PushFixture(secret: Data(repeating: 1, count: count))
            let error = await expectError(\MechanismError.reason, .weakSecret) { try await fixture.enroll() }
            #expect(error?.description.contains("the secret in the URI has \(count * 8) bits") == true)
            #expect(fixture.server.requests.isEmpty)
            #expect(try await fixture.push.mechanisms().isEmpty)
        }
    }

    @Test func `A parameter that occurs twice is refused`() {
        expectError(\MechanismError.reason, .invalidParameter("m")) { try PushEnrollment(fixture.uri() + "&m=2") }
    }

    @Test(
        arguments: [
            "", "push", "https://id.example.com/", "otpauth://totp/alice?secret=A", "pushauth://totp/alice?s=A",
            "mfauth://sms/alice?s=A", "pushauth://push/alice?" + String(repeating: "a", count: 4100),
        ]
    )
    func `Text that is not the URI of a push mechanism is refused`(_ text: String) {
        expectError(\MechanismError.reason, .unsupportedURI) { try PushEnrollment(text) }
    }

    @Test(arguments: ["r", "a"])
    func `Endpoints have to use https, except on loopback addresses`(_ name: String) throws {
        for url in ["http://id.example.com/", "ftp://id.example.com/", "id.example.com"] {
            expectError(\MechanismError.reason, .insecureEndpoint(name)) {
                try PushEnrollment(fixture.uri("pushauth://push/alice", [name: PushFixture.encode(url)]))
            }
        }
        let uri = fixture.uri("pushauth://push/alice", [name: PushFixture.encode("http://127.0.0.1:8080/push")])
        #expect(try PushEnrollment(uri).account == "alice")
    }

    @Test func `The issuer is that of the parameter, or that of the label`() throws {
        let encoded = try PushEnrollment(fixture.uri("pushauth://push/Label:alice"))
        #expect(encoded.issuer == "Example")
        let label = try PushEnrollment(fixture.uri("pushauth://push/Label:%20alice%40example.com", ["issuer": nil]))
        #expect(label.issuer == "Label")
        #expect(label.account == "alice@example.com")
        let none = try PushEnrollment(fixture.uri("PUSHAUTH://Push/alice", ["issuer": nil]))
        #expect(none.issuer.isEmpty)
    }

    @Test func `A URI without an account is refused`() {
        expectError(\MechanismError.reason, .missingParameter("account")) {
            try PushEnrollment(fixture.uri("pushauth://push/Example:"))
        }
    }

    @Test func `Base64 is accepted with either alphabet and with padding`() throws {
        let fixture = PushFixture(secret: Data(repeating: 0xFB, count: 12) + [0xFB, 0xFF, 0xFE, 0x01])
        let start = String(repeating: "-_v7", count: 4)
        let standard = start.replacing("-", with: "+").replacing("_", with: "/")
        for secret in [
            start + "-__-AQ", start + "-__-AQ==", standard + "+//+AQ==", start + "%2B%2F%2F%2BAQ%3D%3D",
        ] {
            let uri = fixture.uri("pushauth://push/alice", ["s": secret])
            #expect(try PushEnrollment(uri).secret == fixture.secret)
        }
    }

    @Test func `An image over plain http and an invalid color are ignored`() throws {
        let uri = fixture.uri(
            "pushauth://push/alice",
            ["image": PushFixture.encode("http://id.example.com/logo.png"), "b": "red"]
        )
        let enrollment = try PushEnrollment(uri)
        #expect(enrollment.imageURL == nil)
        #expect(enrollment.backgroundColor == nil)
    }

    @Test func `The URL of an image is accepted in base64 as well`() throws {
        let url = "https://id.example.com/logo.png"
        for image in [PushFixture.encode(url), "https%3A%2F%2Fid.example.com%2Flogo.png"] {
            #expect(try PushEnrollment(fixture.uri("pushauth://push/alice", ["image": image])).imageURL == url)
        }
    }

    @Test(arguments: ["%1B[2J", "a%20b", "%C3%A9", String(repeating: "a", count: 33)])
    func `A name of a parameter with characters that no server uses is refused, and not repeated`(
        _ name: String
    ) {
        let uri = fixture.uri() + "&\(name)=%FF"
        let error = expectError(\MechanismError.reason, .unsupportedURI) { try PushEnrollment(uri) }
        #expect(error?.description.contains("\u{1B}") == false)
    }

    @Test func `No error repeats a parameter`() throws {
        let canary = "canarycanarycanary="
        for name in ["s", "c", "r", "a", "l"] {
            let error = #expect(throws: MechanismError.self) {
                try PushEnrollment(fixture.uri("pushauth://push/alice", [name: canary]))
            }
            #expect(error?.description.contains("canary") == false)
        }
    }

    @Test func `A URI states the kinds of mechanisms that it enrolls`() throws {
        let examples: [(String, Set<MechanismKind>)] = [
            (fixture.uri(), [.push]), ("otpauth://hotp/alice?secret=A", [.oneTimePassword]),
            ("mfauth://totp/alice?secret=A", [.oneTimePassword]), (fixture.uri("mfauth://push/alice"), [.push]),
            (fixture.uri("mfauth://totp/alice", ["secret": "A"]), [.push, .oneTimePassword]),
            (fixture.uri("mfauth://totp/alice"), [.push]),
        ]
        for (uri, kinds) in examples { #expect(try MechanismKind.kinds(in: uri) == kinds, "\(uri)") }
        expectError(\MechanismError.reason, .unsupportedURI) { try MechanismKind.kinds(in: "https://id.example.com/") }
    }
}
