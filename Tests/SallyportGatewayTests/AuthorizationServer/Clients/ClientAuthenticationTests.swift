import Foundation
import HTTPTypes
import SallyportJOSE
import TestSupport
import Testing

@testable import SallyportGateway

@Suite(.concurrencyLimited) struct ClientAuthenticationTests {
    private static let form = ["grant_type": "client_credentials"]

    @Test func `A client secret is accepted in the Authorization header and in the form`() async throws {
        try await TestIdentity.with { (identity) async throws in
            #expect(try await identity.post("/token", Self.form, basic: "conf:s3cret-conf").status == .ok)
            #expect(try await identity.post("/token", Self.form, basic: "conf:s3cret%2Dconf").status == .ok)
            let inForm = Self.form.merging(["client_id": "conf", "client_secret": "s3cret-conf"]) { $1 }
            #expect(try await identity.post("/token", inForm).status == .ok)
        }
    }

    @Test(
        arguments: [
            "conf:wrong", "conf:", "conf", ":", "nobody:s3cret-conf", "pub:", "pub:s3cret-conf", "conf:s3cret-conf%",
        ]
    )
    func `Invalid client credentials are refused with 401, a Basic challenge and no secret`(credentials: String)
        async throws
    {
        try await TestIdentity.with { identity in
            let response = try await identity.post("/token", Self.form, basic: credentials)
            #expect(response.status == .unauthorized)
            #expect(response.refusal == "invalid_client")
            #expect(response.headers[.wwwAuthenticate]?.hasPrefix("Basic ") == true)
            #expect(response.headers[.cacheControl] == "no-store")
            #expect(!response.text.contains("s3cret"))
        }
    }

    @Test func `A missing secret, two authentication methods or two client IDs are refused`()
        async throws
    {
        try await TestIdentity.with { (identity) async throws in
            let named = Self.form.merging(["client_id": "conf"]) { $1 }
            #expect(try await identity.post("/token", named).refusal == "invalid_client")
            let both = named.merging(["client_secret": "s3cret-conf"]) { $1 }
            #expect(try await identity.post("/token", both, basic: "conf:s3cret-conf").refusal == "invalid_request")
            let other = Self.form.merging(["client_id": "pub"]) { $1 }
            #expect(try await identity.post("/token", other, basic: "conf:s3cret-conf").refusal == "invalid_request")
        }
    }

    @Test func `A token request needs a form without repeated parameters and a grant type allowed to the client`()
        async throws
    {
        try await TestIdentity.with { identity in
            let json = try await identity.client.execute(
                uri: "/token",
                method: .post,
                headers: [.contentType: "application/json"],
                body: .init(string: "{}")
            )
            #expect(json.refusal == "invalid_request")
            let twice = try await identity.client.execute(
                uri: "/token",
                method: .post,
                headers: [.contentType: "application/x-www-form-urlencoded"],
                body: .init(string: "grant_type=client_credentials&client_id=pub&client_id=pub")
            )
            #expect(twice.refusal == "invalid_request")
            let strange = ["grant_type": "password", "client_id": "pub"]
            #expect(try await identity.post("/token", strange).refusal == "unsupported_grant_type")
            let foreign = ["grant_type": "client_credentials", "client_id": "pub"]
            #expect(try await identity.post("/token", foreign).refusal == "unauthorized_client")
            #expect(await identity.server.statistics.refusals["unsupported_grant_type"] == 1)
        }
    }

    /// Runs a test with a server that has a client with `private_key_jwt`, and the client's key.
    private func withSigner(
        _ test: @Sendable @escaping (TestIdentity, SigningKey) async throws -> Void
    ) async throws {
        let key = try SigningKey.generate(.es256, keyID: "k1")
        let metadata = ClientMetadata(
            authenticationMethod: .privateKeyJwt,
            grantTypes: ["client_credentials"],
            scope: "api",
            keys: JsonWebKeySet([key.publicJsonWebKey!])
        )
        try await TestIdentity.with({ $0.clients.append(GatewayClient(id: "signer", metadata: metadata)) }) {
            identity in
            try await test(identity, key)
        }
    }

    private func send(
        _ identity: TestIdentity,
        _ key: SigningKey,
        _ changes: [String: JsonValue?] = [:],
        to path: String = "/token"
    ) async throws -> TestResponse {
        var claims: [String: JsonValue] = [
            "iss": "signer", "sub": "signer", "aud": "http://127.0.0.1/token", "jti": .string(UUID().uuidString),
            "exp": .seconds(identity.clock.now + 60), "iat": .seconds(identity.clock.now),
        ]
        for (name, value) in changes { claims[name] = value }
        return try await identity.post(path, try await Self.assertion(claims, key))
    }

    private static func assertion(_ claims: [String: JsonValue], _ key: SigningKey) async throws -> [String: String] {
        form.merging([
            "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
            "client_assertion": try JsonWebSignature.sign(claims, with: key),
        ]) { $1 }
    }

    @Test func `A client assertion is accepted with the issuer or the token endpoint as its audience`() async throws {
        try await withSigner { (identity, key) async throws in
            for audience: JsonValue in ["http://127.0.0.1", "http://127.0.0.1/token", ["x", "http://127.0.0.1"]] {
                #expect(try await send(identity, key, ["aud": audience]).status == .ok)
            }
        }
    }

    @Test func `At the paths of a realm, assertions are for its issuer, and tokens and introspection have it`()
        async throws
    {
        try await withSigner { (identity, key) async throws in
            let paths = "/oauth2/realms/alpha"
            let issuer = "http://127.0.0.1" + paths
            for audience in [issuer, issuer + "/access_token"] {
                let response = try await send(identity, key, ["aud": .string(audience)], to: paths + "/access_token")
                let token = try TestTokens(response).access
                #expect(try JsonWebSignature(parsing: token).claims()["iss"] == .string(issuer))
                let introspection = try await identity.post(
                    paths + "/introspect",
                    ["token": token],
                    basic: "conf:s3cret-conf"
                )
                #expect(introspection.members["iss"] == .string(issuer))
            }
            let other = try await send(identity, key, ["aud": .string(issuer)], to: "/oauth2/realms/root/access_token")
            #expect(other.refusal == "invalid_client")
        }
    }

    @Test(
        arguments: [
            ["aud": "https://other.example"], ["aud": nil], ["iss": "conf"], ["sub": "conf"], ["sub": nil],
            ["exp": nil],
            ["exp": 1_799_999_999], ["exp": 1_800_010_000], ["jti": nil], ["nbf": 1_800_000_500],
            ["iat": 1_800_000_500],
        ] as [[String: JsonValue?]]
    )
    func `A client assertion with an invalid or missing claim is refused`(
        change: [String: JsonValue?]
    ) async throws {
        try await withSigner { (identity, key) async throws in
            #expect(try await send(identity, key, change).refusal == "invalid_client")
        }
    }

    @Test func `A client assertion is accepted once and only with the client's own key`() async throws {
        try await withSigner { identity, key in
            #expect(try await send(identity, key, ["jti": "one"]).status == .ok)
            #expect(try await send(identity, key, ["jti": "one"]).refusal == "invalid_client")
            let another = try SigningKey.generate(.es256, keyID: "k1")
            #expect(try await send(identity, another).refusal == "invalid_client")
            let symmetric = try SigningKey(secret: Data(repeating: 1, count: 32), algorithm: .hs256, keyID: "k1")
            #expect(try await send(identity, symmetric).refusal == "invalid_client")
        }
    }
}
