import Foundation
import Sallyport
import SallyportJOSE
import SallyportStorage
import TestSupport
import Testing

@testable import SallyportJourney

/// Lets py_webauthn, which nobody here wrote, verify the responses of the software authenticator.
@Suite(
    .concurrencyLimited,
    .enabled(if: RealServer.webAuthn != nil, "run .ci/real-servers webauthn to have py_webauthn installed")
)
struct WebAuthnTests {
    private static let challenge = Data((0..<32).map { UInt8($0 * 5) })

    private let authenticator = SoftwareAuthenticator(
        store: MemoryAuthenticatorStore(),
        owner: "alice",
        user: AgreeingUser()
    )

    @Test(arguments: [false, true])
    func `A registration and the signatures after it are verified, with and without a PIN`(hasPIN: Bool) async throws {
        if hasPIN { try await authenticator.setPIN("2580") }
        let registration = try await authenticator.register(Self.registration(requiringVerification: hasPIN))
        var assertions: [PasskeyAssertion] = []
        for _ in 0..<3 {
            assertions.append(try await authenticator.authenticate(Self.assertion(requiringVerification: hasPIN)))
        }
        let result = try await verify(registration, assertions, requiringVerification: hasPIN)
        #expect(
            result == ["format": "none", "verified": .bool(hasPIN), "counters": [0, 1, 2, 3]],
            "\(result)"
        )
    }

    @Test func `A signature that is sent again is refused because of its counter`() async throws {
        let registration = try await authenticator.register(Self.registration())
        let assertion = try await authenticator.authenticate(Self.assertion())
        let result = try await verify(registration, [assertion, assertion])
        #expect(result["error"]?.string?.contains("sign count") == true, "\(result)")
    }

    @Test func `A changed signature is refused`() async throws {
        let registration = try await authenticator.register(Self.registration())
        var assertion = try await authenticator.authenticate(Self.assertion())
        assertion.authenticatorData[36] ^= 2
        let result = try await verify(registration, [assertion])
        #expect(result["error"] != nil, "\(result)")
    }

    @Test func `A registration without verification is refused by a server that requires it`() async throws {
        let registration = try await authenticator.register(Self.registration())
        let result = try await verify(registration, [], requiringVerification: true)
        #expect(result["error"] != nil, "\(result)")
    }

    private static func registration(requiringVerification: Bool = false) -> PasskeyRegistrationRequest {
        PasskeyRegistrationRequest(
            challenge: challenge,
            origin: "https://id.example.com",
            relyingPartyID: "example.com",
            relyingPartyName: "Example",
            userID: Data("user-1".utf8),
            userName: "alice",
            displayName: "Alice",
            algorithms: [-7],
            excludedCredentials: [],
            userVerification: requiringVerification ? .required : .preferred,
            requiresResidentKey: true,
            attestation: "none",
            timeout: .seconds(60)
        )
    }

    private static func assertion(requiringVerification: Bool = false) -> PasskeyAssertionRequest {
        PasskeyAssertionRequest(
            challenge: challenge,
            origin: "https://id.example.com",
            relyingPartyID: "example.com",
            allowedCredentials: [],
            userVerification: requiringVerification ? .required : .preferred,
            timeout: .seconds(60)
        )
    }

    /// Returns the result of the verifier for the responses, in the form in which browsers send them.
    private func verify(
        _ registration: PasskeyRegistration,
        _ assertions: [PasskeyAssertion],
        requiringVerification: Bool = false
    ) async throws -> [String: JsonValue] {
        let input: [String: JsonValue] = [
            "origin": "https://id.example.com",
            "relyingPartyID": "example.com",
            "challenge": .string(Base64Url.encode(Self.challenge)),
            "requiresVerification": .bool(requiringVerification),
            "registration": Self.credential(
                registration.credentialID,
                [
                    "clientDataJSON": registration.clientDataJSON,
                    "attestationObject": registration.attestationObject,
                ]
            ),
            "assertions": .array(
                assertions.map { assertion in
                    Self.credential(
                        assertion.credentialID,
                        [
                            "clientDataJSON": assertion.clientDataJSON,
                            "authenticatorData": assertion.authenticatorData,
                            "signature": assertion.signature,
                            "userHandle": assertion.userHandle ?? Data(),
                        ]
                    )
                }
            ),
        ]
        return try await withTemporaryDirectory { directory in
            let file = directory.appending(path: "responses.json")
            try JSONEncoder.ordered.encode(input).write(to: file)
            let process = Process()
            process.executableURL = URL(fileURLWithPath: RealServer.webAuthn ?? "")
            process.arguments = ["-B", RealServer.webAuthnVerifier ?? "", file.path]
            let pipe = Pipe()
            process.standardOutput = pipe
            try process.start()
            let output = await runBlocking { pipe.fileHandleForReading.readDataToEndOfFile() }
            await runBlocking { process.waitUntilExit() }
            return try JSONDecoder().decode([String: JsonValue].self, from: output)
        }
    }

    private static func credential(_ id: Data, _ response: [String: Data]) -> JsonValue {
        let id = JsonValue.string(Base64Url.encode(id))
        return [
            "id": id, "rawId": id, "type": "public-key",
            "response": .object(response.mapValues { .string(Base64Url.encode($0)) }),
        ]
    }
}

/// A user who allows everything, and whose PIN is 2580.
private struct AgreeingUser: AuthenticatorUser {
    func allows(_ operation: AuthenticatorOperation) -> Bool { true }

    func pin(for operation: AuthenticatorOperation, attemptsLeft: Int) -> String? { "2580" }

    func choose(from choices: [String]) -> Int? { 0 }
}
