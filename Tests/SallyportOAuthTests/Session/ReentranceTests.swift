import Foundation
import Sallyport
import SallyportStorage
import SallyportTesting
import TestSupport
import Testing

@testable import SallyportOAuth

/// Calls within a refresh, which must not wait for that refresh.
@Suite(.concurrencyLimited) struct ReentranceTests {
    private func client(_ transport: MockTransport) -> HttpClient {
        HttpClient.createClient { config in config.transport = transport }
    }

    @Test func `A refresher can use a client that its own session authorizes`() async throws {
        let server = MockTransport { _ in .text("hello") }
        let api = Locked<HttpClient?>(nil)
        let refresher = ScriptedRefresher { number, _ in
            let client = try #require(api.withLock { $0 })
            _ = try await client.request { request in request.url = "https://api.example.com/token" }
            return .number(number)
        }
        let session = OAuthSession(refresher: refresher, store: MemoryTokenStore(.ended))
        api.withLock { $0 = client(server).authorized(by: session, for: "https://api.example.com") }
        let tokens = try await withDeadline(.patience, "the refresh") { try await session.tokens() }
        #expect(tokens.accessToken == "canary-access-1")
        #expect(server.requests.map { $0.header("Authorization") } == [nil])
    }

    @Test func `A request that carries its own credentials receives no token of the session`() async throws {
        let server = MockTransport { _ in .text("hello") }
        let refresher = ScriptedRefresher { number, _ in .number(number) }
        let session = OAuthSession(refresher: refresher, store: MemoryTokenStore(.ended))
        let api = client(server).authorized(by: session, for: "https://api.example.com")
        _ = try await api.request { request in
            request.url = "https://api.example.com/"
            request.carriesOwnCredentials = true
        }
        #expect(server.requests.map { $0.header("Authorization") } == [nil])
        #expect(refresher.count.value == 0)
    }

    @Test func `Requesting tokens during their own refresh throws an error instead of deadlocking`() async throws {
        let holder = Locked<OAuthSession?>(nil)
        let refresher = ScriptedRefresher { _, _ in try await #require(holder.withLock { $0 }).tokens() }
        let session = OAuthSession(refresher: refresher, store: MemoryTokenStore(.ended))
        holder.withLock { $0 = session }
        await expectError(\OAuthSessionError.kind, "network") {
            try await withDeadline(.patience, "the error") { try await session.tokens() }
        }
        holder.withLock { $0 = nil }
    }

    @Test func `A refresher can reset its session during a refresh`() async throws {
        let holder = Locked<OAuthSession?>(nil)
        let refresher = ScriptedRefresher { _, _ in
            try await #require(holder.withLock { $0 }).reset()
            throw NetworkError.connectionLost("it broke")
        }
        let session = OAuthSession(refresher: refresher, store: MemoryTokenStore(.ended))
        holder.withLock { $0 = session }
        await expectError(\OAuthSessionError.kind, "network") {
            try await withDeadline(.patience, "the end") { try await session.tokens() }
        }
        #expect(try await session.current() == nil)
        holder.withLock { $0 = nil }
    }

    @Test func `Calling finish during a refresh does not deadlock`() async throws {
        let holder = Locked<OAuthSession?>(nil)
        let refresher = ScriptedRefresher { number, _ in
            try await holder.withLock { $0 }?.finish()
            return .number(number)
        }
        let session = OAuthSession(refresher: refresher, store: MemoryTokenStore(.ended))
        holder.withLock { $0 = session }
        let tokens = try await withDeadline(.patience, "the refresh") { try await session.tokens() }
        #expect(tokens.accessToken == "canary-access-1")
        holder.withLock { $0 = nil }
    }
}
