#if PostgreSQL && os(Linux)

import Foundation
import SallyportOAuth
import SallyportStorage
import SessionSupport
import TestSupport
import Testing

@testable import SallyportPostgres

/// Stores behind PgBouncer in transaction mode, with two connections to the database.
@Suite(.concurrencyLimited, .serialized, .withPostgres) struct PgBouncerTests {
    private static let key = RecordStoreKey.generate()

    private func database(_ schema: TestSchema) throws -> PostgresDatabase {
        let url = try #require(ProcessInfo.processInfo.environment["SALLYPORT_PGBOUNCER"])
        return try schema.database(changing: { _ in url }, password: nil)
    }

    @Test func `Forty processes refresh the tokens of a session once`() async throws {
        try await TestSchema.with { schema in
            let clock = Watched(Date())
            let requests = Watched(0)
            let refresher = CountedRefresher(requests: requests, now: { clock.value })
            let sessions = try (0..<40).map { _ in
                OAuthSession(
                    refresher: refresher,
                    store: PostgresTokenStore("alice", in: try database(schema), key: Self.key)
                ) { clock.value }
            }
            try await sessions[0].save(try await refresher.refresh(OAuthTokens(accessToken: "first")))
            for rotation in 1...5 {
                clock.update { $0 += 3650 }
                let tokens = try await withThrowingTaskGroup(of: String.self) { group in
                    for session in sessions { group.addTask { try await session.tokens().accessToken } }
                    return try await group.reduce(into: Set()) { $0.insert($1) }
                }
                #expect(tokens == ["access-\(rotation + 1)"])
                for session in sessions { try await session.finish() }
            }
            #expect(requests.value == 6)
        }
    }

    @Test func `An access leaves no setting and no lock on a connection that other programs use next`() async throws {
        try await TestSchema.with { schema in
            let database = try database(schema)
            let store = NoteStore("a", in: database, key: Self.key)
            let names = [
                "search_path", "statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout",
                "synchronous_commit", "client_connection_check_interval",
            ]
            let statement = "SELECT \(names.map { "current_setting('\($0)')" }.joined(separator: " || ' ' || "))"
            func settings() async throws -> [Data?] {
                try #require(try await database.pool.connection().run(statement, within: .seconds(10)).first)
            }
            let before = try await settings()
            for number in 1...10 {
                try await store.withExclusiveAccess {
                    try await store.save(Note("\(number)"))
                    try await store.save(Note("\(number)"))
                }
                #expect(try await store.load() == Note("\(number)"))
                for _ in 1...4 {
                    let after = try await settings()
                    #expect(after == before)
                }
            }
            try await store.delete()
            let locks = try await schema.query("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'")
            #expect(locks == ["0"])
        }
    }
}

/// A refresher that counts its requests.
private struct CountedRefresher: TokenRefresher {
    let requests: Watched<Int>
    let now: @Sendable () -> Date
    var identity: OAuthClientIdentity { FormRefresher.identity }

    func refresh(_ tokens: OAuthTokens) async throws -> OAuthTokens {
        let number = requests.update { number in
            number += 1
            return number
        }
        return OAuthTokens(accessToken: "access-\(number)", expiresAt: now() + 3600, refreshToken: "refresh-\(number)")
    }
}

#endif
