import Foundation
import HTTPTypes
import SallyportJOSE
import TestSupport
import Testing

@testable import SallyportGateway

@Suite(.concurrencyLimited) struct ResourceServerTests {
    /// The description of a request in the response.
    private struct Resource: Decodable {
        let method: String
        let target: String
        let body: String
        let token: [String: JsonValue]?
    }

    @Test func `A resource needs an access token with its scope`() async throws {
        try await TestIdentity.with { identity in
            let device = try await TestDevice.registered(identity)
            let own = try await device.clientCredentials().accessToken
            let user = try await device.signIn().accessToken
            let response = try await device.get("/resources/accounts/7?sort=name", user)
            #expect(response.status == .ok)
            let resource = try response.decode(Resource.self)
            #expect(resource.method == "GET")
            #expect(resource.target == "/resources/accounts/7?sort=name")
            #expect(resource.token?["sub"] == "alice")
            #expect(resource.token?["amr"] == ["pwd"])
            let assets = try await device.get("/resources/assets", own).decode(Resource.self)
            #expect(assets.token?["sub"] == .string(device.clientID))
            #expect(try await device.get("/resources/accounts", own).refusal == "insufficient_scope")
            #expect(try await device.get("/resources/assets", user).refusal == "insufficient_scope")
        }
    }

    @Test func `A refused request has the challenges of RFC 6750`() async throws {
        try await TestIdentity.with { identity in
            let device = try await TestDevice.registered(identity)
            let none = try await device.get("/resources/accounts", nil)
            #expect(none.status == .unauthorized)
            #expect(none.headers[.wwwAuthenticate] == "Bearer realm=\"sallyport\", scope=\"accounts\"")
            #expect(none.refusal == "invalid_token")
            let unknown = try await device.get("/resources/accounts", "unknown")
            #expect(unknown.status == .unauthorized)
            #expect(unknown.headers[.wwwAuthenticate]?.contains("error=\"invalid_token\"") == true)
            let own = try await device.clientCredentials().accessToken
            let scope = try await device.get("/resources/accounts", own)
            #expect(scope.status == .forbidden)
            #expect(scope.headers[.wwwAuthenticate]?.contains("error=\"insufficient_scope\"") == true)
        }
    }

    @Test func `Other tokens are not accepted`() async throws {
        try await TestIdentity.with { identity in
            let device = try await TestDevice.registered(identity)
            let tokens = try await device.signIn().members
            let refresh = tokens["refresh_token"]?.string
            #expect(try await device.get("/resources/accounts", refresh).refusal == "invalid_token")
            #expect(try await device.get("/resources/accounts", tokens["id_token"]?.string).refusal == "invalid_token")
            for authorization in ["Basic Zm9v", "DPoP x", "Bearer", "Bearer a, Bearer b"] {
                let response = try await identity.get("/resources/accounts", authorization: authorization)
                #expect(response.status == .unauthorized)
            }
            identity.clock.advance(301)
            let expired = try await device.get("/resources/accounts", tokens["access_token"]?.string)
            #expect(expired.refusal == "invalid_token")
        }
    }

    @Test func `A token that is bound to a key or exchanged for another audience is not accepted`() async throws {
        try await TestIdentity.with { identity in
            let proof = try TestProof(identity)
            let bound = try await identity.tokens(proof: try await proof()).access
            #expect(
                try await identity.get("/resources/api", authorization: "Bearer \(bound)").refusal == "invalid_token"
            )
            let token = try await identity.tokens().access
            #expect(try await identity.get("/resources/api", authorization: "Bearer \(token)").status == .ok)
            for audience in ["https://other.example", "http:", "http:/"] {
                let form = [
                    "grant_type": "urn:ietf:params:oauth:grant-type:token-exchange", "subject_token": token,
                    "subject_token_type": "urn:ietf:params:oauth:token-type:access_token", "audience": audience,
                ]
                let other = try TestTokens(try await identity.post("/token", form, basic: "conf:s3cret-conf")).access
                let response = try await identity.get("/resources/api", authorization: "Bearer \(other)")
                #expect(response.refusal == "invalid_token", "\(audience)")
            }
        }
    }

    @Test func `A resource without a scope needs no token and ignores one`() async throws {
        try await TestIdentity.with { identity in
            for authorization in [nil, "Bearer unknown"] {
                let response = try await identity.get("/resources/public/logo", authorization: authorization)
                #expect(response.status == .ok)
                #expect(try response.decode(Resource.self).token == nil)
            }
        }
    }

    @Test func `Each method is accepted, with its body`() async throws {
        try await TestIdentity.with { identity in
            for method: HTTPRequest.Method in [.post, .put, .patch, .delete] {
                let response = try await identity.client.execute(
                    uri: "/resources/public",
                    method: method,
                    body: .init(string: "text")
                )
                let resource = try response.decode(Resource.self)
                #expect(resource.method == method.rawValue)
                #expect(resource.body == "text")
            }
            let head = try await identity.client.execute(uri: "/resources/public", method: .head)
            #expect(head.status == .ok)
        }
    }

    @Test(arguments: ["/resources", "/resources/", "/resources/accounts2", "/resources/other", "/resources/PUBLIC"])
    func `A path without a policy is not found`(path: String) async throws {
        try await TestIdentity.with { (identity) async throws in
            let response = try await identity.get(path, authorization: nil)
            #expect(response.status == .notFound)
            #expect(response.refusal == "not_found")
        }
    }

    @Test(
        arguments: [
            "/resources/public/../accounts", "/resources/public/./x", "/resources/public/%2e%2e/accounts",
            "/resources/public/%2E%2E%2Faccounts", "/resources/public/..%5Caccounts", "/resources/public/%2e",
            "/resources/public/..%2F%CC%81accounts", "/resources/public/%2e%2e%2F%FF", "/resources/public/..;/accounts",
        ]
    )
    func `A path with dot segments is refused`(path: String) async throws {
        try await TestIdentity.with { (identity) async throws in
            let response = try await identity.get(path, authorization: nil)
            #expect(response.status == .badRequest)
            #expect(response.refusal == "invalid_request")
        }
    }

    @Test(
        arguments: [
            "/resources/files/private%2Fx", "/resources/files/private%5Cx", "/resources/files/private;x",
            "/resources/files/private%3Bx", "/resources/files/private%00", "/resources/files/%FF",
            "/resources/files/%2",
        ]
    )
    func `A path that other servers could read as the path of another policy is refused`(path: String) async throws {
        let policies = [
            ResourcePolicy(path: "/files", scope: nil), ResourcePolicy(path: "/files/private", scope: "api"),
        ]
        try await TestIdentity.with({ $0.resourcePolicies = policies }) { (identity) async throws in
            let response = try await identity.get(path, authorization: nil)
            #expect(response.status == .badRequest)
            #expect(response.refusal == "invalid_request")
        }
    }

    @Test(arguments: [
        "/resources//accounts", "/resources/accounts//", "/resources/%61ccounts", "/resources/accounts/x",
    ])
    func `Another spelling of a path has the same policy`(path: String) async throws {
        try await TestIdentity.with { (identity) async throws in
            #expect(try await identity.get(path, authorization: nil).status == .unauthorized)
        }
    }

    @Test func `The policy with the longest path decides`() throws {
        let policies = [
            ResourcePolicy(path: "/", scope: "api"), ResourcePolicy(path: "/a", scope: nil),
            ResourcePolicy(path: "/a/b", scope: "accounts"),
        ]
        #expect(policies.policy(for: try "/".pathSegments())?.scope == "api")
        #expect(policies.policy(for: try "/x/a".pathSegments())?.scope == "api")
        #expect(policies.policy(for: try "/a".pathSegments())?.path == "/a")
        #expect(policies.policy(for: try "/a/bc".pathSegments())?.path == "/a")
        #expect(policies.policy(for: try "/a/%62/c".pathSegments())?.path == "/a/b")
        #expect([ResourcePolicy(path: "/a", scope: nil)].policy(for: try "/b".pathSegments()) == nil)
    }

    @Test(
        arguments: [
            (#"{"resource_policies": [{"path": "accounts"}]}"#, "slash"),
            (#"{"resource_policies": [{"path": "/a"}, {"path": "/a/"}]}"#, "same path"),
            (#"{"resource_policies": [{"scope": "a"}]}"#, "resource_policies[0]"), (#"{}"#, "resource_policies"),
            ("[", "JSON"),
            (#"{"resource_policies": [{"path": "/a", "scopes": "a"}]}"#, #"resource_policies: "scopes""#),
            (#"{"resource_policies": [], "resource_policy": []}"#, #""resource_policy" is unknown"#),
            (#"{"resource_policies": [{"path": "/a", "scope": "a b"}]}"#, "one scope"),
            (#"{"resource_policies": [{"path": "/a", "scope": ""}]}"#, "one scope"),
            (#"{"resource_policies": [{"path": "/a/.."}]}"#, "The path contains . or .."),
            (#"{"resource_policies": [{"path": "/%61"}, {"path": "/a"}]}"#, "same path"),
            (
                #"{"resource_policies": [], "minimum_versions": [{"app_identifier": "a", "version": "2"}]}"#,
                #"minimum_versions: "version""#
            ),
            (
                #"{"resource_policies": [], "minimum_versions": [{"app_identifier": "a", "app_version": "v2"}]}"#,
                "The version v2 of a"
            ),
            (
                #"{"resource_policies": [], "minimum_versions": [{"app_identifier": "a","#
                    + #" "os_versions": {"ios": "9999999999"}}]}"#,
                "The version 9999999999 of a"
            ),
        ]
    )
    func `The error for invalid policies names the mistake`(json: String, mention: String) {
        let error = #expect(throws: GatewayError.self) { try ResourceServerConfiguration(json: Data(json.utf8)) }
        #expect(error?.description.contains(mention) == true, "\(error?.description ?? "")")
    }

    @Test func `Outdated versions get 403, also for resources without a scope`() async throws {
        let minimum = MinimumVersions(
            appIdentifier: "com.example.app",
            appVersion: "2.0",
            systemVersions: ["ios": "16"]
        )
        try await TestIdentity.with({ $0.minimumVersions = [minimum] }) { identity in
            let device = try TestDevice(identity)
            let cases = [
                ("com.example.app/1.9 (ios 17) sallyport/1", "outdated_app", "2.0"),
                ("com.example.app/2.0 (ios 15.8) sallyport/1", "outdated_os", "16"),
            ]
            for (agent, error, version) in cases {
                for path in ["/resources/public", "/resources/accounts"] {
                    let response = try await device.get(path, nil, userAgent: agent)
                    #expect(response.status == .forbidden)
                    #expect(response.refusal == error)
                    #expect(response.members["minimum_version"] == .string(version))
                    #expect(response.headers[.wwwAuthenticate] == nil)
                }
            }
            let current = "com.example.app/2.0 (ios 16.0) sallyport/1"
            #expect(try await device.get("/resources/public", nil, userAgent: current).status == .ok)
            #expect(try await identity.get("/resources/public", authorization: nil).status == .ok)
        }
    }
}
