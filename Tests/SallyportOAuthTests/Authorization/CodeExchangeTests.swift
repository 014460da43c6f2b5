import Crypto
import Foundation
import Sallyport
import SallyportJOSE
import SallyportTesting
import TestSupport
import Testing

@testable import SallyportOAuth

@Suite(.concurrencyLimited) struct CodeExchangeTests {
    private let identity: MockIdentityServer

    init() throws { identity = try MockIdentityServer() }

    private func hash(_ text: String) -> JsonValue {
        .string(Base64Url.encode(Data(SHA256.hash(data: Data(text.utf8)).prefix(16))))
    }

    @Test func `Exchanging a code sends the code verifier and returns the tokens with the id_token`() async throws {
        let client = identity.client { $0.resources = ["https://api.example.com"] }
        let request = try await client.authorizationRequest()
        let claims = ["nonce": .string(request.nonce ?? ""), "at_hash": hash("access-1"), "c_hash": hash("code-1")]
        try await identity.answerTokens(idToken: claims)
        let tokens = try await client.tokens(from: request.callback(), for: request)
        #expect(tokens.accessToken == "access-1")
        #expect(tokens.refreshToken == "refresh-1")
        #expect(tokens.scope == "openid api")
        #expect(try tokens.idToken.flatMap(client.subject(of:)) == "alice")
        #expect(
            identity.forms("/token") == [
                [
                    "grant_type": "authorization_code", "code": "code-1", "redirect_uri": "http://127.0.0.1:8765/cb",
                    "code_verifier": request.codeChallenge.verifier, "client_id": "app",
                    "resource": "https://api.example.com",
                ]
            ]
        )
    }

    @Test(
        arguments: [
            (["nonce": "other"], IdTokenError.nonce(isMissing: false)), (["nonce": .null], .nonce(isMissing: true)),
            (["at_hash": "x"], .accessTokenHash), (["c_hash": "x"], .codeHash),
            (
                ["iss": "https://evil.example.com"],
                .issuer(expected: MockIdentityServer.issuer, actual: "https://evil.example.com")
            ),
            (["aud": "other"], .audience(expected: "app", actual: ["other"])),
            (["auth_time": .null], .missing("auth_time")),
        ] as [([String: JsonValue], IdTokenError)]
    )
    func `An id_token that was not issued for this sign-in is refused with a specific error`(
        claims: [String: JsonValue],
        reason: IdTokenError
    ) async throws {
        let client = identity.client()
        let request = try await client.authorizationRequest(parameters: ["max_age": "60"])
        let right: [String: JsonValue] = ["nonce": .string(request.nonce ?? ""), "auth_time": 1_799_999_990]
        try await identity.answerTokens(idToken: right.merging(claims) { $1 })
        let error = try await oauthError { _ = try await client.tokens(from: request.callback(), for: request) }
        #expect(error.failure.underlying as? IdTokenError == reason)
        #expect(error.description.contains("an id_token of \(MockIdentityServer.issuer) is refused"))
    }

    @Test func `A token response without an id_token is refused if the scope openid was granted`() async throws {
        identity.answerTokens(.tokens())
        let client = identity.client()
        let request = try await client.authorizationRequest()
        let error = try await oauthError { _ = try await client.tokens(from: request.callback(), for: request) }
        #expect(error.description.contains("issued no id_token"))
    }

    @Test func `No id_token is required if the scope openid was not granted`() async throws {
        identity.answerTokens(.tokens(["scope": "api"]))
        let client = identity.client()
        let request = try await client.authorizationRequest()
        #expect(try await client.tokens(from: request.callback(), for: request).idToken == nil)
    }

    @Test func `An id_token signed with a newly published key is accepted`() async throws {
        let client = identity.client()
        _ = try await client.server.keys()
        let key = try SigningKey.generate(.es256, keyID: "k2")
        identity.publish([try MockIdentityServer.key.get(), key])
        let request = try await client.authorizationRequest()
        let idToken = try await identity.idToken(["nonce": .string(request.nonce ?? "")], key: key)
        identity.answerTokens(.tokens(["id_token": .string(idToken)]))
        #expect(try await client.tokens(from: request.callback(), for: request).idToken == idToken)
        #expect(identity.count("/keys") == 2)
    }

    @Test func `An id_token signed with an unknown key is refused after the keys are fetched again`() async throws {
        let client = identity.client()
        let request = try await client.authorizationRequest()
        let key = try SigningKey.generate(.es256, keyID: "k2")
        let idToken = try await identity.idToken(["nonce": .string(request.nonce ?? "")], key: key)
        identity.answerTokens(.tokens(["id_token": .string(idToken)]))
        let error = try await oauthError { _ = try await client.tokens(from: request.callback(), for: request) }
        #expect(error.failure.underlying as? IdTokenError == .unknownKey("k2"))
        #expect(identity.count("/keys") == 2)
    }

    @Test func `An id_token signed with the client secret is accepted only if HS256 is allowed`() async throws {
        let secret = String(repeating: "s", count: 32)
        let key = try SigningKey(secret: Data(secret.utf8))
        for isAllowed in [true, false] {
            let client = identity.client { config in
                config.authentication = .secretBasic(secret)
                if isAllowed { config.idTokenAlgorithms = [.hs256] }
            }
            let request = try await client.authorizationRequest()
            let idToken = try await identity.idToken(["nonce": .string(request.nonce ?? "")], key: key)
            identity.answerTokens(.tokens(["id_token": .string(idToken)]))
            if isAllowed {
                #expect(try await client.tokens(from: request.callback(), for: request).idToken == idToken)
            } else {
                let error = try await oauthError { _ = try await client.tokens(from: request.callback(), for: request) }
                #expect(error.failure.underlying as? IdTokenError == .symmetricAlgorithm("HS256"))
            }
        }
    }
}
