import Foundation
import Sallyport
import SallyportJOSE
import SallyportTesting
import TestSupport
import Testing

@testable import SallyportOAuth

@Suite(.concurrencyLimited) struct UserInfoTests {
    private let identity: MockIdentityServer

    init() throws { identity = try MockIdentityServer() }

    private func answer(_ text: String, type: String = "application/json") {
        let headers: HTTPFields = [.contentType: type]
        identity.transport.on(.get, "/userinfo", MockResponse(headers: headers, body: Data(text.utf8)))
    }

    private func tokens() async throws -> OAuthTokens {
        OAuthTokens(accessToken: "access-1", idToken: try await identity.idToken())
    }

    @Test func `UserInfo returns the claims about the subject of the id_token`() async throws {
        answer(#"{"sub": "alice", "email": "alice@example.com", "name": "Alice"}"#)
        let userInfo = try await identity.client().userInfo(tokens())
        #expect(userInfo.subject == "alice")
        #expect(userInfo.email == "alice@example.com")
        #expect(userInfo.name == "Alice")
        #expect(identity.transport.requests.last?.header("Authorization") == "Bearer access-1")
    }

    @Test(arguments: [
        (#"{"sub": "mallory"}"#, "id_token"), (#"{"sub": "Alice"}"#, "id_token"), (#"{"sub": ""}"#, "no subject"),
        ("{}", "no subject"), ("[]", "JSON"), ("", "JSON"),
    ])
    func `A UserInfo response with another or no subject is refused`(text: String, reason: String) async throws {
        answer(text)
        let client = identity.client()
        let error = try await oauthError { _ = try await client.userInfo(tokens()) }
        #expect(error.failure.reason.contains(reason))
    }

    @Test func `A UserInfo response that the server signed for this client is accepted`() async throws {
        answer(try await identity.idToken(["email": "a@example.com"]), type: "application/jwt")
        #expect(try await identity.client().userInfo(tokens()).email == "a@example.com")
    }

    @Test(
        arguments: [
            (["iss": "https://evil.example.com"], "another issuer"), (["aud": "other"], "another client"),
            (["sub": "mallory"], "id_token"),
        ] as [([String: JsonValue], String)]
    )
    func `A signed UserInfo response of another issuer, client or subject is refused`(
        claims: [String: JsonValue],
        reason: String
    ) async throws {
        answer(try await identity.idToken(claims), type: "application/jwt; charset=utf-8")
        let client = identity.client()
        let error = try await oauthError { _ = try await client.userInfo(tokens()) }
        #expect(error.failure.reason.contains(reason))
    }

    @Test func `A UserInfo response signed with another key is refused`() async throws {
        let key = try SigningKey.generate(.es256, keyID: "k1")
        answer(try await identity.idToken(key: key), type: "application/jwt")
        let client = identity.client()
        let error = try await oauthError { _ = try await client.userInfo(tokens()) }
        #expect((error.failure.underlying as? JoseError)?.reason == .signature)
    }

    @Test func `An encrypted UserInfo response is decrypted, and refused by a client without a key for it`()
        async throws
    {
        let key = try #require(SigningKey.generate(.es256).privateJsonWebKey)
        let members = key.members.filter { ["kty", "crv", "x", "y", "d"].contains($0.key) }
        let privateKey = JsonWebKey(members: members)
        let client = identity.client { $0.decryption = IdTokenDecryption(keys: [privateKey], isRequired: false) }
        for inner in [try await identity.idToken(), #"{"sub": "alice"}"#] {
            let encrypted = try JsonWebEncryption.encrypt(
                Data(inner.utf8),
                to: privateKey.publicKey,
                algorithm: .ecdhEs
            )
            answer(encrypted, type: "application/jwt")
            #expect(try await client.userInfo(tokens()).subject == "alice")
        }
        let error = try await oauthError { _ = try await identity.client().userInfo(tokens()) }
        #expect(error.description.contains("the client has no key for it"))
    }

    @Test func `A UserInfo request refused with 401 throws an error with that status`() async throws {
        identity.transport.on(.get, "/userinfo", .status(401))
        let client = identity.client()
        let error = try await oauthError { _ = try await client.userInfo(tokens()) }
        #expect(error.status == 401)
    }
}
