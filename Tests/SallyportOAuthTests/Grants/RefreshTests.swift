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

    @Test func `A refresh sends the refresh token and scope, and returns the new tokens`() async throws {
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

    @Test func `Values missing from a refresh response are taken from the old tokens`() async throws {
        identity.answerTokens(.tokens())
        let idToken = try await identity.idToken()
        let old = OAuthTokens(accessToken: "a", refreshToken: "refresh-1", idToken: idToken, scope: "openid")
        let new = try await identity.client().refresh(old)
        #expect(new.refreshToken == "refresh-1")
        #expect(new.idToken == idToken)
        #expect(new.scope == "openid")
        #expect(new.tokenType == "Bearer")
    }

    @Test func `A refresh returns the new id_token of the same subject`() async throws {
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
    func `A new id_token of another subject, issuer or audience is refused with the refresh token in the error`(
        claims: [String: JsonValue]
    ) async throws {
        try await identity.answerTokens(idToken: claims, refreshToken: "refresh-2")
        let old = OAuthTokens(accessToken: "a", refreshToken: "r", idToken: try await identity.idToken())
        let error = try await oauthError { _ = try await identity.client().refresh(old) }
        #expect(error.description.contains("id_token"))
        #expect(!error.isInvalidGrant)
        #expect(error.issuedRefreshToken == "refresh-2")
    }

    @Test func `If a new id_token is refused, the session stores only the new refresh token`() async throws {
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
    func `The error for a refused refresh response carries the new refresh token but does not show it`(
        members: [String: JsonValue]
    ) async throws {
        identity.answerTokens(.tokens(members.merging(["refresh_token": "refresh-2"]) { $1 }))
        let old = OAuthTokens(accessToken: "a", refreshToken: "refresh-1")
        let error = try await oauthError { _ = try await identity.client().refresh(old) }
        #expect(error.issuedRefreshToken == "refresh-2")
        #expect(!"\(error)".contains("refresh-2"))
    }

    @Test func `New tokens are stored if fetching the server's keys exceeds the refresh limit`() async throws {
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
    func `Refreshed tokens are returned with the old id_token if the server's keys cannot be fetched`(
        _ answer: MockResponse
    ) async throws {
        try await identity.answerTokens(idToken: ["auth_time": 1], refreshToken: "refresh-2")
        identity.transport.on(.get, "/keys", answer)
        let old = OAuthTokens(accessToken: "a", refreshToken: "refresh-1", idToken: try await identity.idToken())
        let new = try await identity.client().refresh(old)
        #expect(new.refreshToken == "refresh-2")
        #expect(new.accessToken == "access-1")
        #expect(new.idToken == old.idToken)
    }

    @Test(arguments: [["exp": 1], ["iat": 1_900_000_000], ["nbf": 1_900_000_000]] as [[String: JsonValue]])
    func `Refreshed tokens are returned with the old id_token if the times of the new one do not match the clock`(
        claims: [String: JsonValue]
    ) async throws {
        try await identity.answerTokens(idToken: claims, refreshToken: "refresh-2")
        let old = OAuthTokens(accessToken: "a", refreshToken: "refresh-1", idToken: try await identity.idToken())
        let new = try await identity.client().refresh(old)
        #expect(new.refreshToken == "refresh-2")
        #expect(new.idToken == old.idToken)
    }

    @Test func `The error invalid_grant in response to a refresh sets isInvalidGrant`() async throws {
        identity.answerTokens(.refusal("invalid_grant"))
        let old = OAuthTokens(accessToken: "a", refreshToken: "r")
        #expect(try await oauthError { _ = try await identity.client().refresh(old) }.isInvalidGrant)
    }

    @Test func `A network error during a refresh is thrown unchanged`() async throws {
        identity.answerTokens(.fail(.connectionLost("it broke")))
        let old = OAuthTokens(accessToken: "a", refreshToken: "r")
        do {
            _ = try await identity.client().refresh(old)
            Issue.record("it was refreshed")
        } catch NetworkError.connectionLost {
        }
    }

    @Test func `A refresh without a refresh token throws without sending a request`() async throws {
        let error = try await oauthError { _ = try await identity.client().refresh(OAuthTokens(accessToken: "a")) }
        #expect(error.description == "there is no refresh token; sign in again")
        #expect(identity.transport.requests.isEmpty)
    }
}
