import Foundation
import Sallyport
import SallyportJOSE
import SallyportTesting
import TestSupport
import Testing

@testable import SallyportOAuth

@Suite(.concurrencyLimited) struct ClientAuthenticationTests {
    private func request(_ authentication: ClientAuthentication, clientID: String = "app") async throws -> MockRequest {
        let identity = try MockIdentityServer()
        identity.answerTokens(.tokens())
        let client = OAuthClient(
            issuer: MockIdentityServer.issuer,
            clientID: clientID,
            configuration: {
                var config = identity.client().configuration
                config.authentication = authentication
                return config
            }()
        )
        _ = try await client.clientCredentialsTokens()
        return try #require(identity.transport.requests.last)
    }

    @Test func `A client without a secret sends its client_id in the form`() async throws {
        let request = try await request(.none)
        #expect(request.form["client_id"] == "app")
        #expect(request.header("Authorization") == nil)
    }

    @Test func `Client ID and secret are form-encoded in the Authorization header and absent from the form`()
        async throws
    {
        let request = try await request(.secretBasic("s:cr%t +ü"), clientID: "a b")
        #expect(
            request.header("Authorization") == "Basic \(Data("a+b:s%3Acr%25t+%2B%C3%BC".utf8).base64EncodedString())"
        )
        #expect(request.form["client_id"] == nil)
        #expect(request.form["client_secret"] == nil)
    }

    @Test func `A secret sent in the form is not sent in the Authorization header`() async throws {
        let request = try await request(.secretPost("s&cret"))
        #expect(request.form["client_id"] == "app")
        #expect(request.form["client_secret"] == "s&cret")
        #expect(request.header("Authorization") == nil)
    }

    @Test func `Each client assertion has its own jti, is issued for the issuer and expires after one minute`()
        async throws
    {
        let key = try SigningKey.generate(.es256, keyID: "c1")
        let first = try await request(.privateKeyJwt(key)).form
        let second = try await request(.privateKeyJwt(key, audience: "https://id.example.com/token")).form
        #expect(first["client_assertion_type"] == "urn:ietf:params:oauth:client-assertion-type:jwt-bearer")
        let signature = try JsonWebSignature(parsing: first["client_assertion"] ?? "")
        try signature.verify(with: #require(key.publicJsonWebKey), allowing: [.es256])
        let claims = try signature.claims()
        #expect(claims["iss"] == "app")
        #expect(claims["sub"] == "app")
        #expect(claims["aud"] == .string(MockIdentityServer.issuer))
        #expect(claims["iat"] == 1_800_000_000)
        #expect(claims["exp"] == 1_800_000_060)
        let others = try JsonWebSignature(parsing: second["client_assertion"] ?? "").claims()
        #expect(others["aud"] == "https://id.example.com/token")
        #expect(others["jti"] != claims["jti"])
    }

    @Test func `Descriptions of authentication methods contain no secret`() throws {
        let methods: [ClientAuthentication] = [
            .secretBasic("canary"), .secretPost("canary"),
            .privateKeyJwt(try SigningKey(secret: Data("canary-canary-canary-canary-canary".utf8))),
        ]
        for method in methods {
            var dumped = ""
            dump(method, to: &dumped)
            #expect(!"\(method) \(String(reflecting: method)) \(dumped)".contains("canary"))
        }
    }
}
