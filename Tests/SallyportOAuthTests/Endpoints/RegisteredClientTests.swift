import Foundation
import Sallyport
import SallyportGateway
import SallyportJOSE
import SallyportOAuth
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct RegisteredClientTests {
    @Test
    func `A client that registers a key obtains tokens with it, also after its registration is stored and restored`()
        async throws
    {
        var configuration = try AuthorizationServerConfiguration.development()
        configuration.signatureAlgorithms = [.es256]
        configuration.registrationScopes = ["api"]
        let gateway = GatewayConfiguration(authorizationServer: try AuthorizationServer(configuration))
        try await Gateway.withRunning(gateway) { address in
            let http = HttpClient()
            defer { http.close() }
            var settings = OAuthClientConfiguration()
            settings.httpClient = http
            settings.scopes = ["api"]
            let key = try SigningKey.generate(.es256)
            let publicKey = try #require(key.publicJsonWebKey)
            let server = OAuthClient(issuer: address.baseURL, clientID: "", configuration: settings).server
            let registered = try await server.register([
                "token_endpoint_auth_method": "private_key_jwt", "grant_types": ["client_credentials"],
                "jwks": ["keys": [.object(publicKey.members)]],
            ])
            #expect(registered.authentication == nil)

            let stored = try JSONEncoder().encode(registered)
            let client = try JSONDecoder().decode(RegisteredClient.self, from: stored)
            #expect(client == registered)
            #expect(client.registrationToken != nil)
            settings.authentication = try #require(client.authentication(signingKey: key))
            let oauth = OAuthClient(issuer: address.baseURL, clientID: client.clientID, configuration: settings)
            #expect(try await !oauth.clientCredentialsTokens().accessToken.isEmpty)
            try await server.unregister(client)
            let error = await #expect(throws: OAuthError.self) { try await oauth.clientCredentialsTokens() }
            #expect(error?.error == "invalid_client")
        }
    }

    @Test func `A client that proves its key gets the same identifier again`() async throws {
        var configuration = try AuthorizationServerConfiguration.development()
        configuration.signatureAlgorithms = [.es256]
        configuration.registrationScopes = ["api"]
        configuration.demandsProofNonces = true
        let gateway = GatewayConfiguration(authorizationServer: try AuthorizationServer(configuration))
        try await Gateway.withRunning(gateway) { address in
            let http = HttpClient()
            defer { http.close() }
            let key = try SigningKey.generate(.es256)
            let publicKey = try #require(key.publicJsonWebKey)
            let server = OAuthServer(issuer: address.baseURL, httpClient: http)
            let metadata: [String: JsonValue] = [
                "token_endpoint_auth_method": "private_key_jwt", "grant_types": ["client_credentials"],
                "jwks": ["keys": [.object(publicKey.members)]],
            ]
            let first = try await server.register(metadata, provingKey: key)
            let second = try await server.register(metadata, provingKey: key)
            #expect(second.clientID == first.clientID)
            #expect(second.registrationToken != nil)
            let error = await #expect(throws: OAuthError.self) {
                try await server.register(metadata, provingKey: try SigningKey.generate(.es256))
            }
            #expect(error?.error == "invalid_dpop_proof")
        }
    }

    @Test func `A registered client with a secret authenticates with the secret instead of a signing key`() throws {
        let json = #"{"client_id": "a", "client_secret": "s", "token_endpoint_auth_method": "client_secret_post"}"#
        let client = try JSONDecoder().decode(RegisteredClient.self, from: Data(json.utf8))
        let authentication = client.authentication(signingKey: try SigningKey.generate(.es256))
        #expect(authentication.map { "\($0)" } == "client_secret_post")
    }

    @Test(arguments: [#"{"client_secret": "canary"}"#, #"{"client_id": ""}"#, "[]"])
    func `Decoding a registration without a client ID throws a DecodingError`(json: String) {
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(RegisteredClient.self, from: Data(json.utf8))
        }
    }
}
