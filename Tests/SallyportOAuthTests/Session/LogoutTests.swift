import Foundation
import Sallyport
import SallyportJOSE
import SallyportTesting
import TestSupport
import Testing

@testable import SallyportOAuth

@Suite(.concurrencyLimited) struct LogoutTests {
    private let identity: MockIdentityServer
    private let store = MemoryTokenStore()

    init() throws {
        identity = try MockIdentityServer()
        identity.transport.on(.post, "/revocation", .status(200))
    }

    private func session() -> OAuthSession {
        let now = MockIdentityServer.now
        return OAuthSession(refresher: identity.client(), store: store) { now }
    }

    private var revoked: [String?] { identity.forms("/revocation").map { $0["token"] } }

    @Test func `A logout revokes and deletes both tokens`() async throws {
        let session = session()
        try await session.save(.number(1))
        #expect(try await session.logout()?.description == nil)
        #expect(revoked == ["canary-refresh-1", "canary-access-1"])
        #expect(try await session.current()?.description == nil)
        await expectError(\OAuthSessionError.kind, "notLoggedIn") { try await session.tokens() }
    }

    @Test func `A logout without tokens sends no request`() async throws {
        #expect(try await session().logout()?.description == nil)
        #expect(identity.transport.requests.isEmpty)
    }

    @Test func `A logout waits for a running refresh and revokes the new tokens`() async throws {
        let (isReceived, mayRespond) = (Signal(), Signal())
        identity.transport.on(.post, "/token") { _ in
            isReceived.fire()
            try? await mayRespond.wait()
            return .tokens(["access_token": "access-2", "refresh_token": "refresh-2"])
        }
        let (first, second) = (session(), session())
        try await first.save(.ended)
        async let refreshed = first.tokens()
        try await isReceived.wait()
        async let refusal = second.logout()
        mayRespond.fire()
        #expect(try await refreshed.accessToken == "access-2")
        #expect(try await refusal?.description == nil)
        #expect(revoked == ["refresh-2", "access-2"])
        #expect(await store.load()?.description == nil)
    }

    @Test func `A refresh that becomes due during a logout waits for it and sends no request`() async throws {
        let (isReceived, mayRespond) = (Signal(), Signal())
        identity.transport.on(.post, "/revocation") { _ in
            isReceived.fire()
            try? await mayRespond.wait()
            return .status(200)
        }
        let (first, second) = (session(), session())
        try await first.save(.ended)
        async let refusal = first.logout()
        try await isReceived.wait()
        let tokens = Task { try await second.tokens() }
        while !second.isRefreshing { await Task.yield() }
        mayRespond.fire()
        #expect(try await refusal?.description == nil)
        await #expect {
            try await tokens.value
        } throws: { error in
            if case OAuthSessionError.notLoggedIn = error { true } else { false }
        }
        #expect(identity.forms("/token").isEmpty)
    }

    @Test(arguments: [("invalid_client", 401), ("unsupported_token_type", 400), ("unauthorized_client", 403)])
    func `If the server refuses the revocation, the tokens are deleted and the refusal is returned`(
        error: String,
        status: Int
    ) async throws {
        identity.transport.on(.post, "/revocation", .refusal(error, status: status))
        let session = session()
        try await session.save(.number(1))
        let refusal = try #require(try await session.logout())
        #expect(refusal.error == error && refusal.status == status)
        #expect(await store.load()?.description == nil)
    }

    @Test func `If the server has no revocation endpoint, the tokens are deleted and the reason is returned`()
        async throws
    {
        let identity = try MockIdentityServer(["revocation_endpoint": .null])
        let session = OAuthSession(refresher: identity.client(), store: store)
        try await session.save(.number(1))
        #expect(try await session.logout()?.description.contains("has no revocation_endpoint") == true)
        #expect(await store.load()?.description == nil)
    }

    @Test(arguments: [503, 500, 429])
    func `Tokens are retained if the revocation fails with a server error or 429`(status: Int) async throws {
        identity.transport.on(.post, "/revocation", .status(status))
        let session = session()
        try await session.save(.number(1))
        await #expect {
            try await session.logout()
        } throws: { error in
            guard case OAuthSessionError.refused(let refusal) = error else { return false }
            return refusal.status == status
        }
        #expect(try await session.current()?.refreshToken == "canary-refresh-1")
    }

    @Test func `Tokens are retained if the server cannot be reached for the revocation`() async throws {
        identity.transport.on(.post, "/revocation", .fail(.connectionFailed("nobody is there")))
        let session = session()
        try await session.save(.number(1))
        await #expect {
            try await session.logout()
        } throws: { error in
            if case OAuthSessionError.network(.connectionFailed) = error { true } else { false }
        }
        #expect(try await session.current()?.refreshToken == "canary-refresh-1")
    }

    @Test func `Saving a new login revokes the tokens that it replaces`() async throws {
        let session = session()
        try await session.save(.number(1))
        #expect(revoked == [])
        try await session.save(.number(2))
        #expect(revoked == ["canary-refresh-1", "canary-access-1"])
        #expect(try await session.current()?.accessToken == "canary-access-2")
    }

    @Test(arguments: [MockResponse.refusal("invalid_client", status: 401), .status(503), .fail(.timeout("none came"))])
    func `Saving a new login succeeds even if the replaced tokens cannot be revoked`(answer: MockResponse) async throws
    {
        identity.transport.on(.post, "/revocation", answer)
        let session = session()
        try await session.save(.number(1))
        try await session.save(.number(2))
        #expect(try await session.current()?.accessToken == "canary-access-2")
    }

    @Test func `Saving tokens with the same refresh token, or with revokesReplaced false, revokes nothing`()
        async throws
    {
        let session = session()
        try await session.save(.number(1))
        var later = OAuthTokens.number(2)
        later.refreshToken = "canary-refresh-1"
        try await session.save(later)
        try await session.save(.number(3), revokesReplaced: false)
        #expect(revoked == [])
    }

    @Test func `Replaced tokens are not revoked if both logins share a sid or the new one has no refresh token`()
        async throws
    {
        let session = session()
        var first = OAuthTokens.number(1)
        first.idToken = "e30.\(Base64Url.encode(Data(#"{"sid": "s-1"}"#.utf8))).c2ln"
        try await session.save(first)
        var second = OAuthTokens.number(2)
        second.idToken = first.idToken
        try await session.save(second)
        var third = OAuthTokens.number(3)
        third.refreshToken = nil
        try await session.save(third)
        #expect(revoked == [])
    }

    @Test func `A logout with a refresher that cannot revoke deletes the tokens and returns the reason`() async throws {
        let session = OAuthSession(refresher: ScriptedRefresher { _, tokens in tokens }, store: store)
        try await session.save(.number(1))
        #expect(try await session.logout()?.description.contains("does not implement the revocation") == true)
        #expect(await store.load()?.description == nil)
    }
}
