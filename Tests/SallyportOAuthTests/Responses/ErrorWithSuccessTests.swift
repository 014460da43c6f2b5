import Foundation
import Sallyport
import SallyportJOSE
import SallyportTesting
import TestSupport
import Testing

@testable import SallyportOAuth

/// Errors in responses with the status 200, which some servers send.
@Suite(.concurrencyLimited) struct ErrorWithSuccessTests {
    /// A request, and the path of the endpoint that refuses it.
    struct Refused: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let method: HttpMethod
        let path: String
        let send: @Sendable (OAuthClient) async throws -> Void

        init(
            _ name: String,
            _ method: HttpMethod,
            _ path: String,
            _ send: @escaping @Sendable (OAuthClient) async throws -> Void
        ) {
            (testDescription, self.method, self.path, self.send) = (name, method, path, send)
        }
    }

    private static let tokens = OAuthTokens(accessToken: "canary-access", refreshToken: "canary-refresh")
    private static let registered = RegisteredClient(
        clientID: "c",
        members: ["registration_client_uri": "https://id.example.com/registration"]
    )

    @Test(arguments: [
        Refused("metadata", .get, "/tenant/.well-known/openid-configuration") { _ = try await $0.server.metadata() },
        Refused("keys", .get, "/keys") { _ = try await $0.server.keys() },
        Refused("tokens", .post, "/token") { _ = try await $0.clientCredentialsTokens() },
        Refused("refresh", .post, "/token") { _ = try await $0.refresh(tokens) },
        Refused("device", .post, "/device") { _ = try await $0.deviceAuthorization() },
        Refused("pushed request", .post, "/par") { _ = try await $0.authorizationRequest() },
        Refused("user information", .get, "/userinfo") { _ = try await $0.userInfo(tokens) },
        Refused("introspection", .post, "/introspection") { _ = try await $0.introspect("t") },
        Refused("revocation", .post, "/revocation") { try await $0.revoke("t", kind: .accessToken) },
        Refused("end of session", .get, "/end_session") { try await $0.endSession(for: tokens) },
        Refused("registration", .post, "/registration") { _ = try await $0.server.register([:]) },
        Refused("read registration", .get, "/registration") { _ = try await $0.server.registration(of: registered) },
        Refused("removal", .delete, "/registration") { try await $0.server.unregister(registered) },
    ])
    func `An error with the status 200 is thrown with its description`(_ request: Refused) async throws {
        let identity = try MockIdentityServer(
            request.path == "/par" ? ["pushed_authorization_request_endpoint": "https://id.example.com/par"] : [:]
        )
        let body = #"{"error": "flow_disabled", "error_description": "Enable it first."}"#
        identity.transport.on(.get, "/.well-known/oauth-authorization-server/tenant", .status(404))
        identity.transport.on(request.method, request.path, .json(body))
        let error = try await oauthError { try await request.send(identity.client()) }
        #expect(error.description.contains(#"flow_disabled, "Enable it first.""#), "\(error)")
    }

    @Test func `An error beside the state of a token is no refusal`() async throws {
        let identity = try MockIdentityServer()
        identity.transport.on(.post, "/introspection", .json(#"{"active": false, "error": "invalid_token"}"#))
        #expect(try await identity.client().introspect("t").isActive == false)
    }

    @Test func `Byte order marks before metadata, keys, claims and a registration are ignored`() async throws {
        let identity = try MockIdentityServer()
        func marked(_ members: [String: JsonValue]) throws -> MockResponse {
            .json("\u{FEFF}" + (try MockIdentityServer.text(members)))
        }
        let url = "https://id.example.com"
        let metadata: [String: JsonValue] = [
            "issuer": .string(MockIdentityServer.issuer), "jwks_uri": "\(url)/keys",
            "userinfo_endpoint": "\(url)/userinfo",
            "registration_endpoint": "\(url)/registration",
        ]
        let key = try #require(try MockIdentityServer.key.get().publicJsonWebKey)
        let members = key.members.merging(["use": .null, "alg": .null]) { $1 }
        identity.transport.on(.get, "/tenant/.well-known/openid-configuration", try marked(metadata))
        identity.transport.on(.get, "/keys", try marked(["keys": [.object(members)]]))
        identity.transport.on(.get, "/userinfo", try marked(["sub": "alice", "email": .null]))
        identity.transport.on(
            .post,
            "/registration",
            try marked(["client_id": "c", "client_secret_expires_at": "2000000000"])
        )
        let client = identity.client()
        let known = try await client.server.keys().keys
        #expect(known.map(\.keyID) == ["k1"] && known.first?.members["alg"] == nil)
        let userInfo = try await client.userInfo(Self.tokens)
        #expect(userInfo.subject == "alice" && userInfo.claims["email"] == nil)
        let registered = try await client.server.register([:])
        #expect(registered.clientSecretExpiresAt == Date(timeIntervalSince1970: 2_000_000_000))
    }
}
