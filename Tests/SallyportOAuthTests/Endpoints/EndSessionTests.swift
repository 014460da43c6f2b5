import Foundation
import Sallyport
import SallyportJOSE
import SallyportTesting
import TestSupport
import Testing

@testable import SallyportOAuth

@Suite(.concurrencyLimited) struct EndSessionTests {
    private let identity: MockIdentityServer

    init() throws { identity = try MockIdentityServer(["end_session_endpoint": "https://id.example.com/end?a=b"]) }

    @Test func `The end-session URL contains the id_token hint, redirect URI and state`() async throws {
        let tokens = OAuthTokens(accessToken: "a", idToken: "id-1")
        let url = try await identity.client().endSessionURL(
            for: tokens,
            redirectURI: "https://a.example.com",
            state: "s"
        )
        #expect(
            url == """
                https://id.example.com/end?a=b&client_id=app&id_token_hint=id-1&\
                post_logout_redirect_uri=https%3A%2F%2Fa.example.com&state=s
                """
        )
        let without = try await identity.client().endSessionURL(for: nil)
        #expect(without == "https://id.example.com/end?a=b&client_id=app")
    }

    @Test func `The id_token hint is the decrypted id_token`() async throws {
        let key = try #require(SigningKey.generate(.es256).privateJsonWebKey)
        let privateKey = JsonWebKey(members: key.members.filter { ["kty", "crv", "x", "y", "d"].contains($0.key) })
        let signed = try await identity.idToken()
        let encrypted = try JsonWebEncryption.encrypt(Data(signed.utf8), to: privateKey.publicKey, algorithm: .ecdhEs)
        let client = identity.client { $0.decryption = IdTokenDecryption(keys: [privateKey]) }
        let url = try await client.endSessionURL(for: OAuthTokens(accessToken: "a", idToken: encrypted))
        #expect(url.hasSuffix("id_token_hint=\(signed)"))
    }

    @Test(arguments: [(200, true), (204, true), (302, true), (400, false), (500, false)])
    func `Ending a session succeeds for a 2xx or 3xx status and throws for any other`(
        status: Int,
        isSuccess: Bool
    ) async throws {
        identity.transport.on(.get, "/end", .status(status))
        let client = identity.client()
        let tokens = OAuthTokens(accessToken: "a", idToken: "id-1")
        if isSuccess {
            try await client.endSession(for: tokens)
        } else {
            let error = try await oauthError { try await client.endSession(for: tokens) }
            #expect(error.status == status)
        }
        #expect(identity.transport.requests.last?.query == "a=b&client_id=app&id_token_hint=id-1")
    }
}
