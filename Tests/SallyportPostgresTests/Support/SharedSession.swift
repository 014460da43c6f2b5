#if PostgreSQL && os(Linux)
import Foundation
import Sallyport
import SallyportOAuth
import SallyportPostgres
import SallyportStorage
import SessionSupport
import TestSupport
import Testing

/// A session that shares its tokens with others, and has database connections of its own, like one in another process.
struct SharedSession: Sendable {
    let database: PostgresDatabase
    let store: PostgresTokenStore
    let session: OAuthSession

    /// Runs a closure with sessions of one login at a server with rotating refresh tokens.
    ///
    /// - Parameters:
    ///   - count: The number of sessions.
    ///   - url: The URL of the database.
    ///   - server: The authorization server.
    ///   - clock: The clock of the sessions.
    static func with(
        _ count: Int,
        at url: String,
        _ server: RotatingServer,
        _ clock: Watched<Date>,
        _ body: ([SharedSession]) async throws -> Void
    ) async throws {
        let client = HttpClient.createClient()
        defer { client.close() }
        let key = RecordStoreKey.generate()
        let sessions = try (0..<count).map { _ in
            let database = try PostgresDatabase(url) { config in
                config.connectLimit = .seconds(2)
                config.idleLimit = .seconds(60)
            }
            let store = PostgresTokenStore("alice", in: database, key: key)
            let refresher = FormRefresher(client, at: server.tokenUrl) { clock.value }
            let session = OAuthSession(refresher: refresher, store: store) { clock.value }
            return SharedSession(database: database, store: store, session: session)
        }
        try await sessions[0].database.migrate()
        let grant = server.book.update { $0.logIn() }
        try await sessions[0].session.save(
            OAuthTokens(
                accessToken: grant.accessToken,
                expiresAt: clock.value + 3600,
                refreshToken: grant.refreshToken
            )
        )
        for session in sessions { #expect(try await session.accessToken() == grant.accessToken) }
        try await body(sessions)
        for session in sessions { session.database.close() }
    }

    /// Runs a closure with a server, a new database and two sessions.
    static func withCluster(
        _ clock: Watched<Date>,
        _ body: @escaping @Sendable (PostgresCluster, RotatingServer, [SharedSession]) async throws -> Void
    ) async throws {
        try await RotatingServer.run { server in
            try await PostgresCluster.run { cluster in
                try await with(2, at: cluster.url(), server, clock) { try await body(cluster, server, $0) }
            }
        }
    }

    /// Returns an access token after the first refresh at a server, and calls a closure while the server holds back its response.
    func accessToken(of server: RotatingServer, while body: () async throws -> Void) async throws -> String {
        let gate = Signal()
        server.gate.update { $0 = gate }
        async let answer = accessToken()
        try await server.asked.wait("the refresh") { $0 == 1 }
        try await body()
        gate.fire()
        return try await answer
    }

    /// Returns an access token for a call, after the refresh in the background that the call may have started.
    func accessToken() async throws(OAuthSessionError) -> String {
        let token = try await session.tokens().accessToken
        await session.waitUntilIdle()
        return token
    }

    /// Expects that there are no valid tokens because the database is not available, and returns the reason.
    func unavailability(sourceLocation: SourceLocation = #_sourceLocation) async throws -> TokenStoreError.Reason {
        let error = try #require(
            await #expect(throws: OAuthSessionError.self, sourceLocation: sourceLocation) { try await accessToken() },
            sourceLocation: sourceLocation
        )
        guard case .store(let problem) = error else { throw error }
        #expect(!error.isLoggedOut, sourceLocation: sourceLocation)
        return problem.reason
    }

    /// Expects the database to contain an access token whose refresh token the server accepts.
    func expectStored(
        _ accessToken: String,
        _ server: RotatingServer,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let record = try #require(try await store.load(), sourceLocation: sourceLocation)
        #expect(record.tokens.accessToken == accessToken, sourceLocation: sourceLocation)
        #expect(record.refreshBegan == nil, sourceLocation: sourceLocation)
        #expect(server.book.value.isHonoured(record.tokens.refreshToken ?? ""), sourceLocation: sourceLocation)
    }
}
#endif
