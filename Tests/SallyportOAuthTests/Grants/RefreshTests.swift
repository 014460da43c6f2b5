import Foundation
import Sallyport
import SallyportJOSE
import SallyportTesting
import TestSupport
import Testing

@testable import SallyportOAuth

@Suite(.concurrencyLimited) struct RefreshTests {
    private let identity: MockIdentityServer

    init() throws { identity = try MockIdentityServer() }

    @Test func `a refresh returns the new tokens`() async throws {
        identity.answerTokens(.tokens(["access_token": "access-2", "refresh_token": "refresh-2", "scope": "api"]))
        let old = OAuthTokens(accessToken: "access-1", refreshToken: "refresh-1", scope: "openid api")
        let new = try await identity.client().refresh(old)
        #expect(new.accessToken == "access-2")
        #expect(new.refreshToken == "refresh-2")
        #expect(new.scope == "api")
        #expect(new.expiresAt == MockIdentityServer.now.addingTimeInterval(60))
        #expect(
            identity.forms("/token") == [
                [
                    "grant_type": "refresh_token", "refresh_token": "refresh-1", "client_id": "app",
                    "scope": "openid api",
                ]
            ]
        )
    }

    @Test func `fields that the response does not contain are those of the old tokens`() async throws {
        identity.answerTokens(.tokens())
        let idToken = try await identity.idToken()
        let old = OAuthTokens(accessToken: "a", refreshToken: "refresh-1", idToken: idToken, scope: "openid")
        let new = try await identity.client().refresh(old)
        #expect(new.refreshToken == "refresh-1")
        #expect(new.idToken == idToken)
        #expect(new.scope == "openid")
        #expect(new.tokenType == "Bearer")
    }

    @Test func `a new id_token about the same person is used`() async throws {
        try await identity.answerTokens(idToken: ["auth_time": 1])
        let old = OAuthTokens(accessToken: "a", refreshToken: "r", idToken: try await identity.idToken())
        let new = try await identity.client().refresh(old)
        #expect(new.idToken != old.idToken)
    }

    @Test(
        arguments: [
            ["sub": "mallory"], ["iss": "https://evil.example.com"], ["aud": "other"],
        ] as [[String: JsonValue]]
    )
    func `a new id_token about somebody else, or that is invalid otherwise, is refused`(
        claims: [String: JsonValue]
    ) async throws {
        try await identity.answerTokens(idToken: claims, refreshToken: "refresh-2")
        let old = OAuthTokens(accessToken: "a", refreshToken: "r", idToken: try await identity.idToken())
        let error = try await oauthError { _ = try await identity.client().refresh(old) }
        #expect(error.description.contains("id_token"))
        #expect(!error.isInvalidGrant)
        #expect(error.issuedRefreshToken == "refresh-2")
    }

    @Test func `a session that refuses a new id_token stores the new refresh token with the old id_token`() async throws
    {
        try await identity.answerTokens(idToken: ["sub": "mallory"], refreshToken: "refresh-2")
        let client = identity.client()
        let old = OAuthTokens(
            accessToken: "a",
            expiresAt: MockIdentityServer.now,
            refreshToken: "refresh-1",
            idToken: try await identity.idToken()
        )
        let store = MemoryTokenStore(TokenRecord(tokens: old, client: client.identity))
        let session = OAuthSession(refresher: client, store: store) { MockIdentityServer.now }
        for _ in 0..<2 {
            await #expect {
                try await session.tokens()
            } throws: { error in
                if case OAuthSessionError.refused = error { "\(error)".contains("id_token") } else { false }
            }
            var expected = old
            expected.refreshToken = "refresh-2"
            #expect(await store.load() == TokenRecord(tokens: expected, client: client.identity))
        }
        #expect(identity.forms("/token").map { $0["refresh_token"] } == ["refresh-1", "refresh-2"])
    }

    @Test(
        arguments: [
            ["token_type": .null], ["token_type": "mac"], ["access_token": .null], ["expires_in": "soon"],
            ["id_token": "a.b.c"],
        ] as [[String: JsonValue]]
    )
    func `the new refresh token of a response that is refused is in the error`(members: [String: JsonValue])
        async throws
    {
        identity.answerTokens(.tokens(members.merging(["refresh_token": "refresh-2"]) { $1 }))
        let old = OAuthTokens(accessToken: "a", refreshToken: "refresh-1")
        let error = try await oauthError { _ = try await identity.client().refresh(old) }
        #expect(error.issuedRefreshToken == "refresh-2")
        #expect(!"\(error)".contains("refresh-2"))
    }

    @Test func `new tokens are stored if reading the server's keys exceeds the time limit of the refresh`() async throws
    {
        try await identity.answerTokens(idToken: ["auth_time": 1], refreshToken: "refresh-2")
        identity.transport.on(.get, "/keys", .stall)
        let client = identity.client()
        let old = OAuthTokens(
            accessToken: "a",
            expiresAt: MockIdentityServer.now,
            refreshToken: "refresh-1",
            idToken: try await identity.idToken()
        )
        let store = MemoryTokenStore(TokenRecord(tokens: old, client: client.identity))
        let session = OAuthSession(refresher: client, store: store, refreshLimit: .seconds(1)) {
            MockIdentityServer.now
        }
        #expect(try await session.tokens().accessToken == "access-1")
        #expect(await store.load()?.tokens.refreshToken == "refresh-2")
    }

    @Test(arguments: [
        MockResponse.fail(.connectionLost("it broke")), .text("", status: 400), .refusal("invalid_grant", status: 503),
    ])
    func `new tokens are not lost because the server's keys cannot be read`(_ answer: MockResponse) async throws {
        try await identity.answerTokens(idToken: ["auth_time": 1], refreshToken: "refresh-2")
        identity.transport.on(.get, "/keys", answer)
        let old = OAuthTokens(accessToken: "a", refreshToken: "refresh-1", idToken: try await identity.idToken())
        let new = try await identity.client().refresh(old)
        #expect(new.refreshToken == "refresh-2")
        #expect(new.accessToken == "access-1")
        #expect(new.idToken == old.idToken)
    }

    @Test(arguments: [["exp": 1], ["iat": 1_900_000_000], ["nbf": 1_900_000_000]] as [[String: JsonValue]])
    func `new tokens are not lost because a clock is wrong`(claims: [String: JsonValue]) async throws {
        try await identity.answerTokens(idToken: claims, refreshToken: "refresh-2")
        let old = OAuthTokens(accessToken: "a", refreshToken: "refresh-1", idToken: try await identity.idToken())
        let new = try await identity.client().refresh(old)
        #expect(new.refreshToken == "refresh-2")
        #expect(new.idToken == old.idToken)
    }

    @Test func `a refused refresh token ends the grant`() async throws {
        identity.answerTokens(.refusal("invalid_grant"))
        let old = OAuthTokens(accessToken: "a", refreshToken: "r")
        #expect(try await oauthError { _ = try await identity.client().refresh(old) }.isInvalidGrant)
    }

    @Test func `a network error is thrown unchanged`() async throws {
        identity.answerTokens(.fail(.connectionLost("it broke")))
        let old = OAuthTokens(accessToken: "a", refreshToken: "r")
        do {
            _ = try await identity.client().refresh(old)
            Issue.record("it was refreshed")
        } catch NetworkError.connectionLost {
        }
    }

    @Test func `without a refresh token nothing is sent`() async throws {
        let error = try await oauthError { _ = try await identity.client().refresh(OAuthTokens(accessToken: "a")) }
        #expect(error.description == "there is no refresh token; sign in again")
        #expect(identity.transport.requests.isEmpty)
    }
}
