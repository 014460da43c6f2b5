import Foundation
import HTTPTypes
import HummingbirdTesting
import SallyportJOSE
import TestSupport
import Testing

@testable import SallyportGateway

@Suite("The registration of clients", .concurrencyLimited)
struct RegistrationTests {
    private func register(_ identity: TestIdentity, _ json: String) async throws -> TestResponse {
        try await identity.client.execute(
            uri: "/register",
            method: .post,
            headers: [.contentType: "application/json"],
            body: .init(string: json)
        )
    }

    @Test("makes a client that can be used at once, for a day")
    func registered() async throws {
        try await TestIdentity.with { identity in
            let json = """
                {"client_name": "New", "redirect_uris": ["http://127.0.0.1/cb"], "grant_types": ["authorization_code"],
                 "token_endpoint_auth_method": "client_secret_basic", "scope": "openid email", "unknown": 1}
                """
            let response = try await register(identity, json)
            #expect(response.status == .created)
            #expect(response.headers[.cacheControl] == "no-store")
            let id = try #require(response.members["client_id"]?.string)
            let secret = try #require(response.members["client_secret"]?.string)
            #expect(response.members["client_name"] == "New")
            let code = try await identity.code(["client_id": id, "scope": "openid email"])
            let tokens = try TestTokens(try await identity.redeem(code, basic: "\(id):\(secret)"))
            #expect(tokens.members["refresh_token"] == nil)
            identity.clock.advance(24 * 3600 + 1)
            #expect(try await identity.redeem("x", basic: "\(id):\(secret)").refusal == "invalid_client")
        }
    }

    @Test("lets the client see what it is registered as, and go; nobody else")
    func managed() async throws {
        try await TestIdentity.with({ $0.registrationScopes.append("api") }) { identity in
            let json = #"{"grant_types": ["client_credentials"], "scope": "api"}"#
            let made = try await register(identity, json).members
            let id = try #require(made["client_id"]?.string)
            let secret = try #require(made["client_secret"]?.string)
            let token = try #require(made["registration_access_token"]?.string)
            #expect(made["registration_client_uri"]?.string == "http://127.0.0.1/register/\(id)")
            for authorization in [nil, "Bearer x", "Bearer \(secret)"] {
                let response = try await identity.get("/register/\(id)", authorization: authorization)
                #expect(response.status == .unauthorized)
            }
            let seen = try await identity.get("/register/\(id)", authorization: "Bearer \(token)")
            #expect(seen.members["scope"] == "api")
            #expect(!seen.text.contains(secret))
            let form = ["grant_type": "client_credentials"]
            #expect(try await identity.post("/token", form, basic: "\(id):\(secret)").status == .ok)
            let gone = try await identity.client.execute(
                uri: "/register/\(id)",
                method: .delete,
                headers: [.authorization: "Bearer \(token)"]
            )
            #expect(gone.status == .noContent)
            #expect(try await identity.post("/token", form, basic: "\(id):\(secret)").refusal == "invalid_client")
            #expect(try await identity.get("/register/\(id)", authorization: "Bearer \(token)").status == .unauthorized)
        }
    }

    @Test func `a client cannot register itself for the API, nor for the scopes of another client`() async throws {
        try await TestIdentity.with({ $0.clients[1].metadata.scope = "openid fleet" }) { identity in
            for scope in ["api", "openid api", "fleet"] {
                let response = try await register(
                    identity,
                    #"{"grant_types": ["client_credentials"], "scope": "\#(scope)"}"#
                )
                #expect(response.status == .badRequest)
                #expect(response.refusal == "invalid_client_metadata")
                #expect(response.text.contains("openid, profile, email, offline_access"))
            }
            let made = try await register(identity, #"{"grant_types": ["client_credentials"]}"#).members
            #expect(made["scope"] == "openid profile email offline_access")
            let credentials = "\(made["client_id"]?.string ?? ""):\(made["client_secret"]?.string ?? "")"
            let response = try await identity.post("/token", ["grant_type": "client_credentials"], basic: credentials)
            #expect(response.refusal == "invalid_scope")
        }
    }

    @Test("gives a public client no secret")
    func publicClient() async throws {
        try await TestIdentity.with { identity in
            let json = #"{"redirect_uris": ["com.example.app:/cb"], "token_endpoint_auth_method": "none"}"#
            let response = try await register(identity, json)
            #expect(response.status == .created)
            #expect(response.members["client_secret"] == nil)
        }
    }

    @Test(
        "refuses what cannot be",
        arguments: [
            (#"{"redirect_uris": ["http://example.com/cb"]}"#, "invalid_redirect_uri"),
            (#"{"redirect_uris": ["https://example.com/cb#x"]}"#, "invalid_redirect_uri"),
            (#"{"redirect_uris": ["javascript:alert(1)"]}"#, "invalid_redirect_uri"),
            (#"{}"#, "invalid_redirect_uri"),
            (#"{"redirect_uris": ["http://127.0.0.1/"], "grant_types": ["implicit"]}"#, "invalid_client_metadata"),
            (#"{"redirect_uris": ["http://127.0.0.1/"], "scope": "root"}"#, "invalid_client_metadata"),
            (
                #"{"grant_types": ["client_credentials"], "token_endpoint_auth_method": "none"}"#,
                "invalid_client_metadata"
            ),
            (#"{"grant_types": [], "token_endpoint_auth_method": "private_key_jwt"}"#, "invalid_client_metadata"),
            (#"{"grant_types": [], "id_token_signed_response_alg": "PS512"}"#, "invalid_client_metadata"),
            (#"{"grant_types": [], "id_token_encrypted_response_alg": "RSA-OAEP"}"#, "invalid_client_metadata"),
            (#"{"grant_types": "x"}"#, "invalid_client_metadata"), ("[", "invalid_client_metadata"),
        ]
    )
    func refused(json: String, error: String) async throws {
        try await TestIdentity.with { identity in
            let response = try await register(identity, json)
            #expect(response.status == .badRequest)
            #expect(response.refusal == error)
        }
    }

    @Test("is closed unless the configuration opens it")
    func closed() async throws {
        try await TestIdentity.with({ $0.allowsRegistration = false }) { identity in
            let response = try await register(identity, #"{"redirect_uris": ["http://127.0.0.1/"]}"#)
            #expect(response.status == .forbidden)
            let metadata = try await identity.get("/.well-known/openid-configuration", authorization: nil).members
            #expect(metadata["registration_endpoint"] == nil)
        }
    }
}
