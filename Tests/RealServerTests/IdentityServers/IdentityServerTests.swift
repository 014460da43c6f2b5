import Foundation
import Sallyport
import SallyportJOSE
import SallyportStorage
import TestSupport
import Testing

@testable import SallyportOAuth

/// The tests that call identity servers. They are serialized because Glewlwyd with SQLite mixes up the data of clients that
/// are registered concurrently.
@Suite(
    .concurrencyLimited,
    .enabled(if: !IdentityServer.started.isEmpty, "run .ci/real-servers to have some started"),
    .serialized
)
enum IdentityServerSuites {}

extension IdentityServerSuites {
    /// Tests that apply to each identity server.
    @Suite(.concurrencyLimited) struct IdentityServerTests {
        @Test(arguments: IdentityServer.started)
        func `A code with PKCE is exchanged for tokens with a valid id_token, and UserInfo names the user`(
            server: IdentityServer
        ) async throws {
            let client = server.client("pub")
            let tokens = try await server.signIn(client)
            #expect(tokens.tokenType == "Bearer")
            #expect(tokens.refreshToken != nil)
            let expiry = try #require(tokens.expiresAt).timeIntervalSinceNow
            #expect((1...3600).contains(expiry))
            let subject = try tokens.idToken.flatMap(client.subject(of:))
            let userInfo = try await client.userInfo(tokens)
            #expect(userInfo.subject == subject)
            #expect(userInfo.email == "alice@example.com")
        }

        @Test(arguments: IdentityServer.started)
        func `A code is refused with another code verifier`(server: IdentityServer) async throws {
            let client = server.client("pub")
            let request = try await client.authorizationRequest()
            let callback = try await server.authorize(request.url)
            let other = AuthorizationRequest(
                url: request.url,
                redirectURI: request.redirectURI,
                state: request.state,
                nonce: request.nonce,
                codeChallenge: CodeChallenge(),
                proofKey: nil,
                scope: request.scope,
                maxAge: nil
            )
            await expectRefusal("invalid_grant", status: 400, by: server, glewlwyd: 400...403) {
                try await client.tokens(from: callback, for: other)
            }
        }

        @Test(arguments: IdentityServer.started)
        func `A code can be exchanged only once`(server: IdentityServer) async throws {
            let client = server.client("pub")
            let request = try await client.authorizationRequest()
            let callback = try await server.authorize(request.url)
            _ = try await client.tokens(from: callback, for: request)
            await expectRefusal("invalid_grant", status: 400, by: server) {
                try await client.tokens(from: callback, for: request)
            }
        }

        @Test(arguments: IdentityServer.started)
        func `Refresh tokens rotate, and reusing one ends the grant`(server: IdentityServer) async throws {
            let client = server.client("pub")
            let first = try await server.signIn(client)
            let second = try await client.refresh(first)
            #expect(second.refreshToken != first.refreshToken)
            #expect(second.accessToken != first.accessToken)
            #expect(second.idToken != nil)
            let third = try await client.refresh(second)
            for spent in [first, third] {
                let error = await #expect(throws: OAuthError.self) { try await client.refresh(spent) }
                #expect(error?.isInvalidGrant == true, "\(String(describing: error))")
            }
        }

        @Test(arguments: IdentityServer.started)
        func `A confidential client receives tokens with client credentials`(server: IdentityServer) async throws {
            let tokens = try await server.client("conf").clientCredentialsTokens()
            #expect(tokens.refreshToken == nil)
            #expect(tokens.scope == "api")
            let stranger = server.client("conf") { $0.authentication = .secretBasic("wrong") }
            await expectRefusal("invalid_client", status: 401, by: server, glewlwyd: 400...403) {
                try await stranger.clientCredentialsTokens()
            }
        }

        @Test(arguments: IdentityServer.started)
        func `A device polls until the user approves it`(server: IdentityServer) async throws {
            let waits = Locked<[Duration]>([])
            let approval = Locked<DeviceAuthorization?>(nil)
            let client = server.client("pub") { config in
                config.clock.sleep = { wait in
                    let count = waits.withLock { waits in
                        waits.append(wait)
                        return waits.count
                    }
                    if count == 2, let device = approval.withLock({ $0 }) { try await server.approve(device) }
                    try await Task.sleep(for: wait)
                }
            }
            let device = try await client.deviceAuthorization()
            approval.withLock { $0 = device }
            #expect(!device.userCode.isEmpty)
            let tokens = try await client.tokens(for: device)
            #expect(waits.withLock { $0 } == [device.interval, device.interval])
            #expect(try await client.userInfo(tokens).email == "alice@example.com")
        }

        @Test(arguments: IdentityServer.started)
        func `A device that polls too often is told to slow down and does`(server: IdentityServer) async throws {
            let waits = Locked<[Duration]>([])
            let client = server.client("pub") { config in
                // The client does not wait until the server has told it to slow down.
                config.clock.sleep = { wait in
                    let count = waits.withLock { waits in
                        waits.append(wait)
                        return waits.count
                    }
                    if wait > .seconds(5) || count > 20 { throw CancellationError() }
                }
            }
            let device = try await client.deviceAuthorization()
            await #expect(throws: NetworkError.self) { try await client.tokens(for: device) }
            #expect(waits.withLock { $0.last } == device.interval + .seconds(5))
        }

        @Test(arguments: IdentityServer.started)
        func `An authorization request can be pushed`(server: IdentityServer)
            async throws
        {
            for clientID in ["pub", "conf"] {
                let client = server.client(clientID) { $0.pushedAuthorization = .always }
                let request = try await client.authorizationRequest()
                #expect(request.url.contains("request_uri="))
                #expect(!request.url.contains("redirect_uri="))
                let tokens = try await client.tokens(from: server.authorize(request.url), for: request)
                #expect(tokens.idToken != nil)
            }
        }

        @Test(arguments: IdentityServer.started)
        func `An authorization request can be sent in the URL`(server: IdentityServer) async throws {
            let client = server.client("conf") { $0.pushedAuthorization = .never }
            let request = try await client.authorizationRequest()
            #expect(request.url.contains("redirect_uri="))
            #expect(try await client.tokens(from: server.authorize(request.url), for: request).idToken != nil)
        }

        @Test(arguments: IdentityServer.started)
        func `DPoP-bound tokens can be used only with proofs of their key`(server: IdentityServer) async throws {
            let client = server.client("pub") { $0.usesDPoP = true }
            let tokens = try await server.signIn(client)
            #expect(tokens.tokenType == "DPoP")
            #expect(tokens.proofKey != nil)
            #expect(try await client.userInfo(tokens).email == "alice@example.com")
            let renewed = try await client.refresh(tokens)
            #expect(renewed.proofKey == tokens.proofKey)
            #expect(try await client.userInfo(renewed).email == "alice@example.com")
            var stolen = renewed
            stolen.proofKey = try SigningKey.generate(.es256)
            await expectRefusal("invalid_dpop_proof", status: 400, by: server) { try await client.refresh(stolen) }
            guard server.abilities.contains(.proofsOfUserInfo) else { return }
            let error = await #expect(throws: OAuthError.self) { try await client.userInfo(stolen) }
            #expect(error?.status == 401)
        }

        @Test(arguments: IdentityServer.started)
        func `A token is introspected as active until it is revoked`(server: IdentityServer) async throws {
            let client = server.client("conf")
            let tokens = try await server.signIn(client)
            let before = try await client.introspect(tokens.accessToken, kind: .accessToken)
            #expect(before.isActive)
            #expect(before.clientID == "conf")
            #expect(before.expiresAt != nil)
            try await client.revoke(tokens.accessToken, kind: .accessToken)
            #expect(try await client.introspect(tokens.accessToken, kind: .accessToken).isActive == false)
            try await client.revoke(tokens)
            let error = await #expect(throws: OAuthError.self) { try await client.refresh(tokens) }
            #expect(error?.isInvalidGrant == true)
            #expect(try await client.introspect("made-up").isActive == false)
        }

        @Test(arguments: IdentityServer.started)
        func `A client can be registered and obtains tokens with its new secret`(server: IdentityServer) async throws {
            let registered = try await server.client("pub").server.register([
                "client_name": "Sallyport's tests", "redirect_uris": [.string(server.redirectURI)],
                "token_endpoint_auth_method": "client_secret_basic", "response_types": ["code"],
                "grant_types": ["authorization_code", "refresh_token", "client_credentials"], "scope": "openid api",
            ])
            #expect(registered.clientSecret != nil)
            let authentication = try #require(registered.authentication)
            let client = server.client(registered.clientID) { $0.authentication = authentication }
            #expect(try await client.clientCredentialsTokens(scopes: ["api"]).scope == "api")
            let read = try await client.server.registration(of: registered)
            #expect(read.clientID == registered.clientID)
            try await client.server.unregister(registered)
            await expectRefusal("invalid_client", status: 401, by: server) {
                try await client.clientCredentialsTokens(scopes: ["api"])
            }
        }

        @Test(arguments: IdentityServer.started)
        func `An encrypted id_token is decrypted and validated`(server: IdentityServer) async throws {
            let key = try server.decryptionKey()
            let client = server.client("jwe") { $0.decryption = IdTokenDecryption(keys: [key]) }
            let tokens = try await server.signIn(client)
            #expect(tokens.idToken?.split(separator: ".").count == 5)
            let subject = try tokens.idToken.flatMap(client.subject(of:))
            #expect(try await client.userInfo(tokens).subject == subject)
            #expect(try await client.refresh(tokens).refreshToken != tokens.refreshToken)
            let error = await #expect(throws: OAuthError.self) { try await server.signIn(server.client("jwe")) }
            #expect(error?.description.contains("the client has no key for it") == true)
        }

        @Test(arguments: IdentityServer.started.filter { $0.abilities.contains(.tokenExchange) })
        func `A token is exchanged for another`(server: IdentityServer) async throws {
            let tokens = try await server.signIn(server.client("pub"))
            let exchange = TokenExchange(subjectToken: tokens.accessToken, scopes: ["api"])
            let exchanged = try await server.client("conf").exchange(exchange)
            #expect(exchanged.issuedTokenType == .accessToken)
            #expect(exchanged.tokens.accessToken != tokens.accessToken)
        }

        @Test(arguments: IdentityServer.started)
        func `A session can be ended with a request`(server: IdentityServer) async throws {
            let client = server.client("pub")
            let tokens = try await server.signIn(client)
            await #expect(throws: Never.self) { try await client.endSession(for: tokens) }
        }

        /// Expects a server to refuse a request.
        ///
        /// The gateway's error code and status are those of the RFCs. Glewlwyd has other statuses and often no error code.
        private func expectRefusal(
            _ code: String,
            status: Int,
            by server: IdentityServer,
            glewlwyd statuses: ClosedRange<Int> = 400...499,
            sourceLocation: SourceLocation = #_sourceLocation,
            _ body: () async throws -> some Any
        ) async {
            let error = await #expect(throws: OAuthError.self, sourceLocation: sourceLocation) { _ = try await body() }
            guard let error else { return }
            if server.name == "Glewlwyd" {
                #expect(statuses.contains(error.status ?? 0), "\(error)", sourceLocation: sourceLocation)
            } else {
                #expect(error.error == code, "\(error)", sourceLocation: sourceLocation)
                #expect(error.status == status, "\(error)", sourceLocation: sourceLocation)
            }
        }
    }
}
