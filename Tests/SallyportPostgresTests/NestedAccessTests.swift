#if PostgreSQL && os(Linux)

import Foundation
import SallyportJourney
import SallyportOAuth
import SallyportStorage
import TestSupport
import Testing

@testable import SallyportPostgres

/// Tasks that use another row within an exclusive access, as a `Journey` whose tokens and session are rows.
@Suite(.concurrencyLimited, .withPostgres) struct NestedAccessTests {
    private static let key = RecordStoreKey.generate()

    private let tokens = TokenRecord(
        tokens: OAuthTokens(accessToken: "access"),
        client: OAuthClientIdentity(issuer: "https://id.example", clientID: "app")
    )
    private let session: JourneySessionRecord

    init() throws {
        let json = """
            {"session": {"token": "token"}, "cookies": "",
             "owner": {"authenticateURL": "https://id.example/authenticate", "cookieName": "session"}}
            """
        session = try JSONDecoder().decode(JourneySessionRecord.self, from: Data(json.utf8))
    }

    private func database(_ schema: TestSchema, _ maximumConnections: Int) -> PostgresDatabase {
        schema.anotherDatabase { config in
            config.maximumConnections = maximumConnections
            config.poolLimit = .milliseconds(200)
        }
    }

    @Test func `A task that has the only connection reads and locks another row`() async throws {
        try await TestSchema.with { schema in
            let database = database(schema, 1)
            let tokenStore = PostgresTokenStore("alice", in: database, key: Self.key)
            let sessionStore = PostgresSessionStore("alice", in: database, key: Self.key)
            try await tokenStore.withExclusiveAccess {
                #expect(try await sessionStore.load() == nil)
                try await sessionStore.save(session)
                #expect(try await sessionStore.load() == session)
                try await tokenStore.save(tokens)
            }
            try await sessionStore.withExclusiveAccess {
                try await sessionStore.delete()
                try await tokenStore.withExclusiveAccess {
                    #expect(try await tokenStore.load()?.tokens.accessToken == "access")
                    try await tokenStore.delete()
                }
                try await sessionStore.save(session)
            }
            #expect(try await tokenStore.load() == nil)
            #expect(try await sessionStore.load() == session)
        }
    }

    @Test func `Refreshes that use all connections read the sessions of their users`() async throws {
        try await TestSchema.with { schema in
            let users = 3
            let database = database(schema, users)
            let refreshing = Watched(0)
            let read = Watched(0)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for user in 1...users {
                    group.addTask {
                        let tokenStore = PostgresTokenStore("\(user)", in: database, key: Self.key)
                        let sessionStore = PostgresSessionStore("\(user)", in: database, key: Self.key)
                        try await tokenStore.withExclusiveAccess {
                            refreshing.update { $0 += 1 }
                            try await refreshing.wait("all refreshes") { $0 == users }
                            #expect(try await sessionStore.load() == nil)
                            read.update { $0 += 1 }
                            try await read.wait("all sessions") { $0 == users }
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test func `A third row within two exclusive accesses is refused`() async throws {
        try await TestSchema.with { schema in
            let database = database(schema, 1)
            let stores = ["a", "b", "c"].map { NoteStore($0, in: database, key: Self.key) }
            try await stores[0].withExclusiveAccess {
                try await stores[1].withExclusiveAccess {
                    await expectStoreError(.configuration, "already has exclusive access to two rows") {
                        try await stores[2].load()
                    }
                    try await stores[1].save(Note("1"))
                }
                #expect(try await stores[2].load() == nil)
                try await stores[0].save(Note("2"))
            }
            #expect(try await stores[1].load() == Note("1"))
        }
    }

    @Test func `A task that outlives an exclusive access waits for a connection as others do`() async throws {
        try await TestSchema.with { schema in
            let database = database(schema, 1)
            let store = NoteStore("a", in: database, key: Self.key)
            let other = NoteStore("b", in: database, key: Self.key)
            let gate = Signal()
            let task = try await store.withExclusiveAccess {
                Task {
                    try await gate.wait()
                    return try await other.load()
                }
            }
            try await store.withExclusiveAccess {
                gate.fire()
                await expectStoreError(.busy, "all 1 connections of this process were in use") { try await task.value }
            }
        }
    }
}

#endif
