import Foundation
import HummingbirdTesting
import SallyportJOSE
import TestSupport
import Testing

@testable import SallyportGateway

@Suite("Tokens for clients, and for tokens", .concurrencyLimited)
struct OwnTokenTests {
    private static let exchange = "urn:ietf:params:oauth:grant-type:token-exchange"
    private static let kind = "urn:ietf:params:oauth:token-type:access_token"

    @Test("a client gets a token for itself, without refresh token and id_token")
    func clientCredentials() async throws {
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

    @Test(
        "a client gets no scope that is about a person",
        arguments: ["openid", "profile email", "offline_access", "api x"]
    )
    func personal(scope: String) async throws {
        try await TestIdentity.with { (identity) async throws in
            let form = ["grant_type": "client_credentials", "scope": scope]
            #expect(try await identity.post("/token", form, basic: "conf:s3cret-conf").refusal == "invalid_scope")
        }
    }

    @Test("a client that asks for such scopes along with others gets the others")
    func leftOut() async throws {
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

    @Test("a token is exchanged for one of the same person, by another client, for less and for elsewhere")
    func exchanged() async throws {
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
            // It is for elsewhere.
            #expect(
                try await identity.get("/protected", authorization: "Bearer \(tokens.access)").status == .unauthorized
            )
        }
    }

    @Test("a token that is exchanged says who acts, and ends with the one that it came of")
    func actor() async throws {
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

    @Test("a token is not exchanged for more, after its end, of another kind, or without the proof of its key")
    func notExchanged() async throws {
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
