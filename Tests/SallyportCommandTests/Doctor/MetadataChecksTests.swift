import Foundation
import SallyportJOSE
import SallyportOAuth
import Testing
import TestSupport
@testable import SallyportCommand

@Suite(.concurrencyLimited) struct MetadataChecksTests {
    private static func metadata(_ changes: [String: JsonValue?] = [:]) -> ServerMetadata {
        var members: [String: JsonValue] = [
            "issuer": "https://id.example.com", "authorization_endpoint": "https://id.example.com/authorize",
            "token_endpoint": "https://id.example.com/token", "jwks_uri": "https://id.example.com/jwks",
            "device_authorization_endpoint": "https://id.example.com/device",
            "code_challenge_methods_supported": ["S256"], "scopes_supported": ["openid", "api"],
            "token_endpoint_auth_methods_supported": ["none", "client_secret_basic"],
        ]
        for (name, value) in changes { members[name] = value }
        return ServerMetadata(members: members)
    }

    private static func profile(_ flow: Profile.Flow = .browser, _ change: (inout Profile) -> Void = { _ in })
        -> Profile
    {
        var profile = Profile(issuer: "https://id.example.com", clientID: "cli", scopes: ["openid"], flow: flow)
        change(&profile)
        return profile
    }

    @Test(arguments: Profile.Flow.allCases)
    func `A server that supports everything a flow needs has no problem`(flow: Profile.Flow) {
        let findings = MetadataChecks.findings(Self.metadata(), Self.profile(flow))
        #expect(findings.allSatisfy { $0.level == .good }, "\(findings)")
        #expect(!findings.isEmpty)
    }

    @Test func `Control characters in the names of a server's metadata are escaped`() throws {
        let metadata = Self.metadata(["\u{1B}[2J_endpoint": "http://id.example.com/a"])
        let finding = try #require(MetadataChecks.findings(metadata, Self.profile()).first)
        #expect(finding.line.hasPrefix("✗ The server's \\u{1B}[2J_endpoint is not https.\n"), "\(finding.line)")
    }

    @Test(
        arguments: [
            ("authorization_endpoint", [.browser, .journey]), ("device_authorization_endpoint", [.device]),
            ("token_endpoint", Profile.Flow.allCases), ("jwks_uri", Profile.Flow.allCases),
        ] as [(String, [Profile.Flow])]
    )
    func `A missing endpoint is a problem for the flows that need it`(name: String, flows: [Profile.Flow]) {
        for flow in Profile.Flow.allCases {
            let findings = MetadataChecks.findings(Self.metadata([name: nil]), Self.profile(flow))
            #expect(findings.contains { $0.level == .problem && $0.text.contains(name) } == flows.contains(flow))
        }
    }

    @Test func `Keys are not required if no id_token is requested`() {
        let findings = MetadataChecks.findings(Self.metadata(["jwks_uri": nil]), Self.profile { $0.scopes = ["api"] })
        #expect(findings.allSatisfy { $0.level == .good })
        #expect(!findings.isEmpty)
    }

    @Test(
        arguments: [
            "http://id.example.com/token", "http://127.0.0.1.example.com/token", "http://localhost.example.com/token",
            "ftp://id.example.com/token", "http://127.0.0.1:8080/token", "http://[::1]/token", "http://localhost/token",
        ]
    )
    func `An endpoint over plain HTTP is a problem unless it and the issuer are on loopback addresses`(
        url: String
    ) {
        for issuer in ["https://id.example.com", "http://localhost:8080"] {
            let metadata = Self.metadata(["issuer": .string(issuer), "token_endpoint": .string(url)])
            let findings = MetadataChecks.findings(metadata, Self.profile())
            let isLocal = issuer.contains("localhost") && !url.contains("example.com")
            #expect(findings.contains { $0.level == .problem && $0.text.contains("token_endpoint") } != isLocal)
        }
    }

    @Test func `Plain HTTP on a loopback address is not described as https`() throws {
        let metadata = Self.metadata([
            "issuer": "http://localhost:8080", "token_endpoint": "http://localhost:8080/token",
        ])
        let finding = try #require(MetadataChecks.findings(metadata, Self.profile()).first)
        #expect(finding.level == .good)
        #expect(finding.text.contains("over plain http") && !finding.text.contains("https"))
        #expect(MetadataChecks.findings(Self.metadata(), Self.profile()).first?.text.contains("over https") == true)
    }

    @Test(
        arguments: [(nil, Finding.Level.warning), (["plain"], .problem), (["plain", "S256"], .good)]
            as [(JsonValue?, Finding.Level)]
    )
    func `PKCE is checked for browser logins only`(methods: JsonValue?, level: Finding.Level) {
        let metadata = Self.metadata(["code_challenge_methods_supported": methods])
        let findings = MetadataChecks.findings(metadata, Self.profile())
        #expect(findings.first { $0.text.contains("PKCE") }?.level == level)
        #expect(!MetadataChecks.findings(metadata, Self.profile(.device)).contains { $0.text.contains("PKCE") })
    }

    @Test func `A missing scope, authentication method or DPoP support is a warning`() {
        let cases: [(String, (inout Profile) -> Void)] = [
            ("scope email", { $0.scopes = ["openid", "email"] }),
            ("private_key_jwt", { $0.authentication.method = "private_key_jwt" }),
            ("DPoP", { $0.usesDPoP = true }),
        ]
        for (words, change) in cases {
            let warnings = MetadataChecks.findings(Self.metadata(), Self.profile(.browser, change)).filter {
                $0.level != .good
            }
            #expect(warnings.count == 1)
            #expect(warnings.first?.level == .warning)
            #expect(warnings.first?.text.contains(words) == true)
        }
    }
}

@Suite(.concurrencyLimited) struct KeyChecksTests {
    private static func key(_ name: String?, _ more: [String: JsonValue] = [:]) -> JsonWebKey {
        let members: [String: JsonValue] = ["kty": "EC", "use": "sig"]
        return JsonWebKey(
            members: members.merging(more) { $1 }.merging(name.map { ["kid": .string($0)] } ?? [:]) { $1 }
        )
    }

    @Test(
        arguments: [
            ([key("a")], [.good], "1 signing key"), ([key("a"), key("b")], [.good], "2 signing keys"),
            ([], [.problem], "no signing key"), ([key("a", ["use": "enc"])], [.problem], "no signing key"),
            ([key(nil)], [.good], "1 signing key"), ([key("a"), key(nil)], [.good, .warning], "no identifier"),
            ([key("a"), key("a")], [.good, .problem], "the same identifier"),
            ([key("a", ["d": "AA"])], [.good, .problem], "secret key"),
            ([key("a"), key("b", ["kty": "oct", "k": "AA", "use": "enc"])], [.good, .problem], "secret key"),
        ] as [([JsonWebKey], [Finding.Level], String)]
    )
    func `Problems of a server's keys are reported`(keys: [JsonWebKey], levels: [Finding.Level], words: String) {
        let findings = KeyChecks.findings(JsonWebKeySet(keys))
        #expect(findings.map(\.level) == levels)
        #expect(findings.contains { $0.text.contains(words) })
    }
}

@Suite(.concurrencyLimited) struct ClockCheckTests {
    private let date = "Sat, 21 Nov 2026 12:00:00 GMT"
    private let noon = Date(timeIntervalSince1970: 1_795_262_400)

    @Test(arguments: [-30.0, 0, 30])
    func `Clocks may differ by half a minute`(difference: Double) {
        #expect(ClockCheck.finding(serverDate: date, now: noon + difference).level == .good)
    }

    @Test(arguments: [(-31.0, "behind"), (3600, "ahead of")])
    func `A larger difference of the clocks is reported with its direction`(difference: Double, word: String) {
        let finding = ClockCheck.finding(serverDate: date, now: noon + difference)
        #expect(finding.level == .problem)
        #expect(finding.text.contains(word))
        #expect(finding.advice?.isEmpty == false)
    }

    @Test(arguments: [nil, "", "yesterday"])
    func `A server that does not send its time is a warning`(date: String?) {
        #expect(ClockCheck.finding(serverDate: date, now: noon).level == .warning)
    }
}
