import Foundation
import SallyportJOSE
import TestSupport
import Testing

@testable import SallyportGateway

@Suite(.concurrencyLimited) struct SoftwareStatementsTests {
    private static let claims: [String: JsonValue] = [
        "iss": "https://releases.example.org", "software_id": "org.example", "software_version": "3",
        "app_platform": "ios",
    ]

    /// Runs a test with an app whose statements a new key signs.
    private func withApp(
        platforms: [String] = [],
        others: [GatewayApplication] = [],
        _ test: @Sendable @escaping (TestIdentity, SigningKey) async throws -> Void
    ) async throws {
        let key = try SigningKey.generate(.es256)
        let keys = JsonWebKeySet([try #require(key.publicJsonWebKey)])
        let application = GatewayApplication(
            identifier: "org.example",
            platforms: platforms,
            statementIssuer: "https://releases.example.org",
            statementKeys: keys,
            deviceScopes: ["assets"]
        )
        try await TestIdentity.with({ $0.applications += [application] + others }) { try await test($0, key) }
    }

    private func register(
        _ identity: TestIdentity,
        _ key: SigningKey,
        _ changes: [String: JsonValue?] = [:],
        type: String = "software-statement+jwt"
    ) async throws -> (status: Int, error: String?) {
        var claims = Self.claims
        for (name, value) in changes { claims[name] = value }
        let statement = try JsonWebSignature.sign(claims, header: ["typ": .string(type)], with: key)
        return try await register(identity, statement: .string(statement))
    }

    private func register(
        _ identity: TestIdentity,
        statement: JsonValue
    ) async throws -> (status: Int, error: String?) {
        var device = try TestDevice(identity)
        let response = try await device.register(["software_statement": statement])
        return (response.status.code, response.refusal)
    }

    @Test func `A statement of a configured app is accepted`() async throws {
        try await withApp { (identity, key) async throws in
            #expect(try await register(identity, key).status == 201)
            let times: [String: JsonValue?] = ["iat": 1_800_000_000, "exp": 1_800_000_001]
            #expect(try await register(identity, key, times).status == 201)
            let devices = await identity.server.devices
            #expect(devices.count == 2)
            #expect(devices.allSatisfy { $0.appIdentifier == "org.example" && $0.platform == "ios" })
        }
    }

    @Test func `A statement that is invalid or not signed by the app's issuer is refused`() async throws {
        try await withApp { identity, key in
            let stranger = try SigningKey.generate(.es256)
            #expect(try await register(identity, stranger).error == "invalid_software_statement")
            #expect(try await register(identity, key, type: "JWT").error == "invalid_software_statement")
            let cases: [[String: JsonValue?]] = [
                ["iss": nil], ["iss": "https://releases.example.com"], ["exp": 1_800_000_000], ["exp": "tomorrow"],
                ["iat": 1_800_000_061], ["software_version": nil], ["software_version": ""], ["software_id": nil],
                ["nbf": 1_800_000_061], ["nbf": "tomorrow"], ["redirect_uris": "https://app.example.org/"],
                ["redirect_uris": [1]], ["client_name": 1], ["software_version": "1 2"],
                ["app_platform": nil], ["app_platform": "i/os"], ["software_version": 3],
            ]
            for changes in cases {
                #expect(try await register(identity, key, changes).error == "invalid_software_statement", "\(changes)")
            }
            for statement: JsonValue in ["", "a.b.c", 1, .string(String(repeating: "a", count: 20_000))] {
                #expect(try await register(identity, statement: statement).error == "invalid_software_statement")
            }
            #expect(await identity.server.devices.isEmpty)
        }
    }

    @Test func `A statement without a signature or signed with the public key as a secret is refused`() async throws {
        try await withApp { identity, key in
            func part(_ members: [String: JsonValue]) throws -> String {
                Base64Url.encode(try JSONEncoder().encode(members))
            }
            let none = try part(["alg": "none", "typ": "software-statement+jwt"]) + "." + part(Self.claims) + "."
            #expect(try await register(identity, statement: .string(none)).error == "invalid_software_statement")
            let point = try #require(key.publicJsonWebKey?.members["x"]?.string.flatMap { Base64Url.decode($0) })
            let secret = try SigningKey(secret: point)
            #expect(try await register(identity, secret).error == "invalid_software_statement")
        }
    }

    @Test func `Each app of an issuer has its own keys`() async throws {
        let other = try SigningKey.generate(.es256)
        let application = GatewayApplication(
            identifier: "org.example.other",
            statementIssuer: "https://releases.example.org",
            statementKeys: JsonWebKeySet([try #require(other.publicJsonWebKey)])
        )
        try await withApp(others: [application]) { (identity, key) async throws in
            let name: [String: JsonValue?] = ["software_id": "org.example.other"]
            #expect(try await register(identity, other).error == "invalid_software_statement")
            #expect(try await register(identity, key, name).error == "invalid_software_statement")
            #expect(await identity.server.devices.isEmpty)
            #expect(try await register(identity, other, name).status == 201)
        }
    }

    @Test func `A statement for an unknown app, or another platform, is not approved`() async throws {
        try await withApp(platforms: ["ios", "macos"]) { identity, key in
            let app = try await register(identity, key, ["software_id": "com.example.app"])
            #expect(app.status == 400)
            #expect(app.error == "unapproved_software_statement")
            let platform = try await register(identity, key, ["app_platform": "linux"])
            #expect(platform.error == "unapproved_software_statement")
            #expect(try await register(identity, key, ["app_platform": "macos"]).status == 201)
        }
    }

    @Test func `A statement decides about the name and the redirect URIs`() async throws {
        try await withApp { identity, key in
            let changes: [String: JsonValue] = [
                "client_name": "Example", "redirect_uris": ["https://app.example.org/callback"],
            ]
            let statement = try JsonWebSignature.sign(
                Self.claims.merging(changes) { $1 },
                header: ["typ": "software-statement+jwt"],
                with: key
            )
            var device = try TestDevice(identity)
            let members = try await device.register(["software_statement": .string(statement)]).members
            #expect(members["client_name"] == "Example")
            #expect(members["redirect_uris"] == ["https://app.example.org/callback"])
            let uris: [JsonValue] = ["https://app.example.org/callback"]
            let allowed = try await device.register([
                "software_statement": .string(statement), "post_logout_redirect_uris": .array(uris),
            ])
            #expect(allowed.status == .ok)
        }
    }

    @Test(arguments: ["redirect_uris", "post_logout_redirect_uris"])
    func `An https URI that the statement does not have is refused`(member: String) async throws {
        try await TestIdentity.with { identity in
            var device = try TestDevice(identity)
            let response = try await device.register([member: ["https://evil.example/cb"]])
            #expect(response.refusal == "invalid_redirect_uri")
            let own = try await device.register([member: ["http://127.0.0.1/cb", "com.example.app:/cb"]])
            #expect(own.status == .created)
        }
    }

    @Test(
        arguments: [
            (#"{"app_identifier": "a b", "statement_issuer": "i", "statement_keys": {"keys": []}}"#, "app_identifier"),
            (#"{"app_identifier": "a", "statement_issuer": "i", "statement_keys": {"keys": []}}"#, "statement_keys"),
            (#"{"app_identifier": "a", "statement_issuer": "i"}"#, "statement_keys"),
            (
                #"{"app_identifier": "a", "statement_issuer": "i", "statement_keys": {"keys": [{"kty": "EC"}]},"#
                    + #" "implicit_scopes": ["openid"]}"#,
                "implicit_scopes"
            ),
            (
                #"{"app_identifier": "a", "platforms": ["ios"], "statement_issuer": "i", "statement_keys": {"keys": []}}"#,
                #"applications: "platforms" is unknown"#
            ),
        ]
    )
    func `The error for an invalid app names the member`(json: String, mention: String) {
        let error = #expect(throws: GatewayError.self) {
            try AuthorizationServerConfiguration(json: Data(#"{"applications": [\#(json)]}"#.utf8))
        }
        #expect(error?.description.contains(mention) == true, "\(error?.description ?? "")")
    }

    @Test func `A configuration file defines apps, policies and minimum versions`() throws {
        let json = """
            {"applications": [{"app_identifier": "a", "statement_issuer": "i", "app_platforms": ["ios"],
              "statement_keys": {"keys": [{"kty": "EC", "crv": "P-256", "x": "AA", "y": "AA"}]},
              "user_scopes": ["openid", "accounts"], "device_scopes": ["assets"], "implicit_scopes": ["greeting"]}],
             "resource_policies": [{"path": "/accounts", "scope": "accounts"}, {"path": "/public"}],
             "minimum_versions": [{"app_identifier": "a", "app_version": "2", "os_versions": {"ios": "16"}}]}
            """
        let configuration = try AuthorizationServerConfiguration(json: Data(json.utf8))
        #expect(configuration.applications.map(\.identifier) == ["a"])
        #expect(configuration.applications[0].platforms == ["ios"])
        #expect(configuration.applications[0].scopes == ["openid", "accounts", "assets", "greeting"])
        #expect(
            configuration.resourcePolicies == [
                ResourcePolicy(path: "/accounts", scope: "accounts"), ResourcePolicy(path: "/public", scope: nil),
            ]
        )
        #expect(
            configuration.minimumVersions == [
                MinimumVersions(appIdentifier: "a", appVersion: "2", systemVersions: ["ios": "16"])
            ]
        )
    }
}
