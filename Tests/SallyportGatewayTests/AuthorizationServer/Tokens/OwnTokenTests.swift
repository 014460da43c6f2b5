import Foundation
import SallyportJOSE
import TestSupport
import Testing

@testable import SallyportGateway

@Suite(.concurrencyLimited) struct OwnTokenTests {
    private static let exchange = "urn:ietf:params:oauth:grant-type:token-exchange"
    private static let kind = "urn:ietf:params:oauth:token-type:access_token"

    @Test func `The client credentials grant issues an access token without a refresh token or id_token`() async throws
    {
        try await TestIdentity.with { identity in
            let form = ["grant_type": "client_credentials"]
            let tokens = try TestTokens(try await identity.post("/token", form, basic: "conf:s3cret-conf"))
            #expect(Set(tokens.members.keys) == ["access_token", "token_type", "expires_in", "scope"])
            #expect(tokens.members["scope"] == "api")
            let response = try await identity.get("/protected", authorization: "Bearer \(tokens.access)")
            #expect(response.members["subject"] == "conf")
            #expect(response.members["username"] == nil)
            #expect(try await identity.get("/userinfo", authorization: "Bearer \(tokens.access)").status == .forbidden)
        }
    }

    @Test(arguments: ["openid", "profile email", "offline_access", "api x"])
    func `The client credentials grant refuses a request with only user scopes or an unknown scope`(scope: String)
        async throws
    {
        try await TestIdentity.with { (identity) async throws in
            let form = ["grant_type": "client_credentials", "scope": scope]
            #expect(try await identity.post("/token", form, basic: "conf:s3cret-conf").refusal == "invalid_scope")
        }
    }

    @Test func `The client credentials grant omits user scopes that are requested with others`() async throws {
        try await TestIdentity.with { identity in
            let form = ["grant_type": "client_credentials", "scope": "openid email api"]
            let tokens = try TestTokens(try await identity.post("/token", form, basic: "conf:s3cret-conf"))
            #expect(tokens.members["scope"] == "api")
        }
    }

    private func exchange(
        _ identity: TestIdentity,
        _ token: String,
        _ changes: [String: String] = [:],
        proof: String? = nil
    ) async throws -> TestResponse {
        let form = ["grant_type": Self.exchange, "subject_token": token, "subject_token_type": Self.kind]
        return try await identity.post("/token", form.merging(changes) { $1 }, basic: "conf:s3cret-conf", proof: proof)
    }

    @Test
    func `A token exchange issues another client a token of the same user with fewer scopes and another audience`()
        async throws
    {
        try await TestIdentity.with { identity in
            let token = try await identity.tokens().access
            identity.clock.advance(100)
            let change = ["scope": "api", "audience": "https://backend.example"]
            let tokens = try TestTokens(try await exchange(identity, token, change))
            #expect(tokens.members["issued_token_type"]?.string == Self.kind)
            #expect(tokens.members["expires_in"] == 200)
            #expect(tokens.members["refresh_token"] == nil)
            let claims = try JsonWebSignature(parsing: tokens.access).claims()
            #expect(claims["sub"] == "alice")
            #expect(claims["client_id"] == "conf")
            #expect(claims["aud"] == "https://backend.example")
            #expect(claims["scope"] == "api")
            #expect(claims["act"] == nil)
            #expect(claims["exp"]?.integer == 1_800_000_300)
            // The token has another audience.
            #expect(
                try await identity.get("/protected", authorization: "Bearer \(tokens.access)").status == .unauthorized
            )
        }
    }

    @Test func `An exchanged token names its actor and is revoked with the original grant`() async throws {
        try await TestIdentity.with { identity in
            let first = try await identity.tokens()
            let form = ["grant_type": "client_credentials"]
            let actor = try TestTokens(try await identity.post("/token", form, basic: "conf:s3cret-conf"))
            let change = ["actor_token": actor.access, "actor_token_type": Self.kind]
            let tokens = try TestTokens(try await exchange(identity, first.access, change))
            #expect(try JsonWebSignature(parsing: tokens.access).claims()["act"]?["sub"] == "conf")
            #expect(try await identity.get("/protected", authorization: "Bearer \(tokens.access)").status == .ok)
            _ = try await identity.post("/revoke", ["token": first.refresh, "client_id": "pub"])
            #expect(
                try await identity.get("/protected", authorization: "Bearer \(tokens.access)").status == .unauthorized
            )
        }
    }

    @Test func `An exchanged token can be exchanged only for its own audience`() async throws {
        try await TestIdentity.with { identity in
            func audience(_ token: String) throws -> JsonValue? { try JsonWebSignature(parsing: token).claims()["aud"] }
            let token = try await identity.tokens().access
            let narrow = try TestTokens(try await exchange(identity, token, ["audience": "https://a.example"])).access
            for wider in [
                ["audience": "https://b.example"], ["audience": "http://127.0.0.1"], ["resource": "https://b.example"],
            ] {
                #expect(try await exchange(identity, narrow, wider).refusal == "invalid_target")
            }
            // Without a requested audience the token retains its own, and does not become valid for the gateway.
            let again = try TestTokens(try await exchange(identity, narrow)).access
            #expect(try audience(again) == "https://a.example")
            #expect(try await identity.get("/protected", authorization: "Bearer \(again)").status == .unauthorized)
            let same = try TestTokens(try await exchange(identity, again, ["audience": "https://a.example"])).access
            #expect(try audience(same) == "https://a.example")
            let own = try TestTokens(try await exchange(identity, token)).access
            #expect(try await exchange(identity, own, ["audience": "https://a.example"]).refusal == "invalid_target")
        }
    }

    @Test func `A client can exchange another client's tokens only with permission`() async throws {
        try await TestIdentity.with({ $0.clients[1].tokenExchangeClients = [] }) { identity in
            let token = try await identity.tokens().access
            let refused = try await exchange(identity, token)
            #expect(refused.refusal == "invalid_request")
            #expect(refused.text.contains("issued to another client"))
            let form = ["grant_type": "client_credentials"]
            let own = try TestTokens(try await identity.post("/token", form, basic: "conf:s3cret-conf")).access
            #expect(try await exchange(identity, own).status == .ok)
            let actor = ["actor_token": token, "actor_token_type": Self.kind]
            #expect(try await exchange(identity, own, actor).refusal == "invalid_request")
        }
    }

    @Test func `A client cannot permit itself token exchange by its registration`() async throws {
        try await TestIdentity.with { identity in
            let json = #"{"grant_types": ["\#(Self.exchange)"], "scope": "openid", "token_exchange_clients": ["pub"]}"#
            let made = try await identity.client.execute(
                uri: "/register",
                method: .post,
                headers: [.contentType: "application/json"],
                body: .init(string: json)
            ).members
            let credentials = "\(made["client_id"]?.string ?? ""):\(made["client_secret"]?.string ?? "")"
            let token = try await identity.tokens().access
            let form = ["grant_type": Self.exchange, "subject_token": token, "subject_token_type": Self.kind]
            let refused = try await identity.post("/token", form, basic: credentials)
            #expect(refused.refusal == "invalid_request")
            #expect(refused.text.contains("issued to another client"))
        }
    }

    @Test func `An exchange for more scopes, of an invalid or expired token or without the DPoP proof is refused`()
        async throws
    {
        try await TestIdentity.with { identity in
            let token = try await identity.tokens(["scope": "openid"]).access
            #expect(try await exchange(identity, token, ["scope": "api"]).refusal == "invalid_scope")
            #expect(try await exchange(identity, token, ["subject_token_type": "x"]).refusal == "invalid_request")
            #expect(try await exchange(identity, token, ["resource": "nowhere"]).refusal == "invalid_target")
            #expect(try await exchange(identity, "nothing").refusal == "invalid_request")
            identity.clock.advance(301)
            #expect(try await exchange(identity, token).refusal == "invalid_request")
            let proof = try TestProof(identity)
            let bound = try await identity.tokens(proof: try await proof()).access
            #expect(try await exchange(identity, bound).refusal == "invalid_dpop_proof")
            #expect(try await exchange(identity, bound, proof: try await proof()).status == .ok)
        }
    }
}
