import Foundation
import HTTPTypes
import SallyportJOSE
import TestSupport
import Testing

@testable import SallyportGateway

@Suite(.concurrencyLimited) struct RegistrationTests {
    private func register(
        _ identity: TestIdentity,
        _ json: String,
        proof: String? = nil
    ) async throws -> TestResponse {
        var headers: HTTPFields = [.contentType: "application/json"]
        if let proof { headers[HTTPField.Name("DPoP")!] = proof }
        return try await identity.client.execute(
            uri: "/register",
            method: .post,
            headers: headers,
            body: .init(string: json)
        )
    }

    @Test func `A registered client can be used immediately and expires after a day`() async throws {
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

    @Test func `Only the registration access token gives access to a registration and deletes it`() async throws {
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

    @Test func `A client cannot register for the scope api or the scopes of another client`() async throws {
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

    @Test func `A public client is registered without a secret`() async throws {
        try await TestIdentity.with { identity in
            let json = #"{"redirect_uris": ["com.example.app:/cb"], "token_endpoint_auth_method": "none"}"#
            let response = try await register(identity, json)
            #expect(response.status == .created)
            #expect(response.members["client_secret"] == nil)
        }
    }

    @Test(
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
    func `Invalid client metadata is refused with a specific error`(json: String, error: String) async throws {
        try await TestIdentity.with { identity in
            let response = try await register(identity, json)
            #expect(response.status == .badRequest)
            #expect(response.refusal == error)
        }
    }

    @Test func `Without apps, software members of a registration are stored and returned unmodified`() async throws {
        try await TestIdentity.with({ $0.applications = [] }) { identity in
            let json = """
                {"grant_types": [], "software_id": "com.example.app", "software_version": "2.1", "software_statement": "a.b.c"}
                """
            let registered = try await register(identity, json).members
            let token = try #require(registered["registration_access_token"]?.string)
            let id = try #require(registered["client_id"]?.string)
            let read = try await identity.get("/register/\(id)", authorization: "Bearer \(token)").members
            for members in [registered, read] {
                #expect(members["software_id"] == "com.example.app")
                #expect(members["software_version"] == "2.1")
                #expect(members["software_statement"] == "a.b.c")
            }
        }
    }

    /// Returns a registration with `private_key_jwt`.
    private func keyRegistration(_ key: SigningKey, name: String = "Phone") throws -> String {
        let key = try #require(key.publicJsonWebKey)
        let members: [String: JsonValue] = [
            "client_name": .string(name), "token_endpoint_auth_method": "private_key_jwt",
            "grant_types": ["client_credentials"], "scope": "api", "jwks": ["keys": [.object(key.members)]],
        ]
        return String(decoding: try JSONEncoder().encode(members), as: UTF8.self)
    }

    @Test func `A client that proves its key again keeps its identifier, and gets a new token to manage it`()
        async throws
    {
        try await TestIdentity.with({ $0.registrationScopes = ["api"] }) { identity in
            let proof = try TestProof(identity)
            let json = try keyRegistration(proof.key)
            let first = try await register(identity, json, proof: try await proof("POST", "/register"))
            #expect(first.status == .created)
            let second = try await register(identity, json, proof: try await proof("POST", "/register"))
            #expect(second.status == .ok)
            #expect(second.members["client_id"] == first.members["client_id"])
            let token = try #require(second.members["registration_access_token"]?.string)
            #expect(token != first.members["registration_access_token"]?.string)
        }
    }

    @Test func `A request without a proof of the key registers another client`() async throws {
        try await TestIdentity.with({ $0.registrationScopes = ["api"] }) { identity in
            let proof = try TestProof(identity)
            let json = try keyRegistration(proof.key)
            let stranger = try await register(identity, json)
            #expect(stranger.status == .created)
            let owner = try await register(identity, json, proof: try await proof("POST", "/register"))
            #expect(owner.status == .created)
            #expect(owner.members["client_id"] != stranger.members["client_id"])
            let uri = "/register/\(stranger.members["client_id"]?.string ?? "")"
            let token = stranger.members["registration_access_token"]?.string ?? ""
            let headers: HTTPFields = [.authorization: "Bearer \(token)"]
            #expect(try await identity.client.execute(uri: uri, method: .delete, headers: headers).status == .noContent)
            let again = try await register(identity, json, proof: try await proof("POST", "/register"))
            #expect(again.status == .ok)
            #expect(again.members["client_id"] == owner.members["client_id"])
        }
    }

    @Test func `A client that proves its key changes its registration and receives a new registration access token`()
        async throws
    {
        try await TestIdentity.with({ $0.registrationScopes = ["api"] }) { identity in
            let proof = try TestProof(identity)
            let stranger = try TestProof(identity)
            let original = try keyRegistration(proof.key)
            let first = try await register(identity, original, proof: try await proof("POST", "/register")).members
            let json = try keyRegistration(proof.key, name: "Renamed")
            let refused = try await register(identity, json, proof: try await stranger("POST", "/register"))
            #expect(refused.refusal == "invalid_dpop_proof")
            let second = try await register(identity, json, proof: try await proof("POST", "/register"))
            #expect(second.status == .ok)
            #expect(second.members["client_id"] == first["client_id"])
            let uri = "/register/\(first["client_id"]?.string ?? "")"
            let old = try await identity.get(
                uri,
                authorization: "Bearer \(first["registration_access_token"]?.string ?? "")"
            )
            #expect(old.status == .unauthorized)
            let new = try await identity.get(
                uri,
                authorization: "Bearer \(second.members["registration_access_token"]?.string ?? "")"
            )
            #expect(new.members["client_name"] == "Renamed")
        }
    }

    @Test func `A key can be registered again after its registration is deleted`() async throws {
        try await TestIdentity.with({ $0.registrationScopes = ["api"] }) { identity in
            let proof = try TestProof(identity)
            let json = try keyRegistration(proof.key)
            let first = try await register(identity, json, proof: try await proof("POST", "/register")).members
            let deleted = try await identity.client.execute(
                uri: "/register/\(first["client_id"]?.string ?? "")",
                method: .delete,
                headers: [.authorization: "Bearer \(first["registration_access_token"]?.string ?? "")"]
            )
            #expect(deleted.status == .noContent)
            let second = try await register(identity, json, proof: try await proof("POST", "/register"))
            #expect(second.status == .created)
            #expect(second.members["client_id"] != first["client_id"])
        }
    }

    @Test func `Registration is refused unless the configuration allows it`() async throws {
        try await TestIdentity.with({
            $0.allowsRegistration = false
            $0.applications = []
        }) { identity in
            for proof in [nil, "not a proof"] {
                let response = try await register(identity, #"{"redirect_uris": ["http://127.0.0.1/"]}"#, proof: proof)
                #expect(response.status == .forbidden)
                #expect(response.refusal == "access_denied")
            }
            let metadata = try await identity.get("/.well-known/openid-configuration", authorization: nil).members
            #expect(metadata["registration_endpoint"] == nil)
        }
    }
}
