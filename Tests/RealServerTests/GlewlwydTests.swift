import Foundation
import Sallyport
import SallyportJOSE
import TestSupport
import Testing

@testable import SallyportOAuth

extension IdentityServerSuites {
    /// Behavior that is specific to Glewlwyd; the common tests are in ``IdentityServerTests``.
    @Suite(
        .concurrencyLimited,
        .enabled(if: IdentityServer.glewlwyd != nil, "run .ci/real-servers to have Glewlwyd started")
    )
    struct GlewlwydTests {
        @Test func `Reusing a refresh token is refused with an empty response, which ends the grant`()
            async throws
        {
            let server = try #require(IdentityServer.glewlwyd)
            let client = server.client("pub")
            let tokens = try await server.signIn(client)
            _ = try await client.refresh(tokens)
            let error = await #expect(throws: OAuthError.self) { try await client.refresh(tokens) }
            #expect(error?.error == nil)
            #expect(error?.status == 400)
            #expect(error?.body?.isEmpty == true)
            #expect(error?.isInvalidGrant == true)
        }

        @Test func `Responses name their issuer, and one with another issuer is refused`() async throws {
            let server = try #require(IdentityServer.glewlwyd)
            let client = server.client("pub")
            let request = try await client.authorizationRequest()
            let callback = try await server.authorize(request.url)
            #expect(callback.contains("?iss=http%3A%2F%2Flocalhost"))
            let other = callback.replacing("iss=http%3A%2F%2Flocalhost", with: "iss=http%3A%2F%2Fothers")
            let error = await #expect(throws: OAuthError.self) { try await client.tokens(from: other, for: request) }
            #expect(error?.description.contains("RFC 9207") == true)
            #expect(try await client.tokens(from: callback, for: request).idToken != nil)
        }

        @Test func `A client can authenticate with a private key`() async throws {
            let server = try #require(IdentityServer.glewlwyd)
            let key = try SigningKey.generate(.rs256, keyID: "c1")
            let registered = try await server.client("pub").server.register([
                "client_name": "by key", "redirect_uris": [.string(server.redirectURI)],
                "token_endpoint_auth_method": "private_key_jwt", "response_types": ["code"],
                "grant_types": ["client_credentials"], "scope": "openid api",
                "jwks": .object(["keys": .array([.object(try #require(key.publicJsonWebKey).members)])]),
            ])
            let client = server.client(registered.clientID) { config in
                config.authentication = .privateKeyJwt(key, audience: "\(server.issuer)/token")
            }
            #expect(try await client.clientCredentialsTokens(scopes: ["api"]).scope == "api")
        }

        @Test func `A client can send its secret in the form`() async throws {
            let server = try #require(IdentityServer.glewlwyd)
            let registered = try await server.client("pub").server.register([
                "client_name": "by form", "redirect_uris": [.string(server.redirectURI)],
                "token_endpoint_auth_method": "client_secret_post", "response_types": ["code"],
                "grant_types": ["client_credentials"], "scope": "openid api",
            ])
            let authentication = try #require(registered.authentication)
            #expect("\(authentication)" == "client_secret_post")
            let client = server.client(registered.clientID) { $0.authentication = authentication }
            #expect(try await client.clientCredentialsTokens(scopes: ["api"]).scope == "api")
        }
    }
}
