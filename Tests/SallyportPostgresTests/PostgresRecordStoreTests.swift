#if PostgreSQL && os(Linux)

import Foundation
import SallyportOAuth
import SallyportStorage
import TestSupport
import Testing

@testable import SallyportPostgres

@Suite(.concurrencyLimited, .withPostgres) struct PostgresRecordStoreTests {
    private static let key = RecordStoreKey.generate()

    @Test func `A record is encrypted, loaded by another process and removed`() async throws {
        try await TestSchema.with { schema in
            let store = NoteStore("user-1", in: schema.database, key: Self.key)
            #expect(try await store.load() == nil)
            try await store.save(Note("canary"))
            try await store.save(Note("canary 2"))
            let row = try await schema.query(
                "SELECT format, name, convert_from(value, 'UTF8'), pending FROM \(schema.name).records"
            )
            #expect(row.prefix(2) == ["test-note", "user-1"])
            #expect(row[2].contains("A256GCM") && row[2].contains("alice") && !row[2].contains("canary"))
            #expect(row[3].isEmpty)
            let other = NoteStore("user-1", in: schema.anotherDatabase(), key: Self.key)
            #expect(try await other.load() == Note("canary 2"))
            try await other.delete()
            try await other.delete()
            #expect(try await store.load() == nil)
            #expect(try await schema.query("SELECT count(*) FROM \(schema.name).records") == ["0"])
        }
    }

    @Test func `Rows of several names and kinds are independent`() async throws {
        try await TestSchema.with { schema in
            try await NoteStore("a", in: schema.database, key: Self.key).save(Note("1"))
            try await NoteStore("b'; DROP TABLE records --", in: schema.database, key: Self.key).save(Note("2"))
            let tokens = PostgresTokenStore("a", in: schema.database, key: Self.key)
            #expect(try await tokens.load() == nil)
            let client = OAuthClientIdentity(issuer: "https://id.example", clientID: "app")
            try await tokens.save(TokenRecord(tokens: OAuthTokens(accessToken: "secret"), client: client))
            #expect(try await tokens.load()?.tokens.accessToken == "secret")
            #expect(try await NoteStore("a", in: schema.database, key: Self.key).load() == Note("1"))
            let quoted = NoteStore("b'; DROP TABLE records --", in: schema.database, key: Self.key)
            #expect(try await quoted.load() == Note("2"))
        }
    }

    @Test func `A row that was moved to another name, or encrypted with another key, is refused`() async throws {
        try await TestSchema.with { schema in
            try await NoteStore("alice", in: schema.database, key: Self.key).save(Note("1"))
            await expectStoreError(.key, "encrypted under another key, or was changed") {
                try await NoteStore("alice", in: schema.database, key: .generate()).load()
            }
            try await schema.query("UPDATE \(schema.name).records SET name = 'bob'")
            await expectStoreError(.key, "the note row bob of the database") {
                try await NoteStore("bob", in: schema.database, key: Self.key).load()
            }
        }
    }

    @Test(arguments: ["", "a\0b", String(repeating: "a", count: 513)])
    func `A name that cannot be stored is refused before anything is sent`(_ name: String) async throws {
        let database = try PostgresDatabase("postgres://127.0.0.1:1/none")
        await expectStoreError(.configuration, "the name of a row has 1 to 512 bytes") {
            try await NoteStore(name, in: database, key: Self.key).load()
        }
    }

    @Test func `A row that is longer than the maximum is not read, and can be replaced`() async throws {
        try await TestSchema.with { schema in
            let store = NoteStore("a", in: schema.database, key: Self.key)
            try await store.save(Note("1"))
            try await schema.query("UPDATE \(schema.name).records SET value = decode(repeat('00', 1048577), 'hex')")
            let words = "it has 1048577 bytes, more than the maximum of 1048576"
            await expectStoreError(.tooLarge, words) { try await store.load() }
            try await store.withExclusiveAccess {
                await expectStoreError(.tooLarge, words) { try await store.load() }
                try await store.save(Note("2"))
                #expect(try await store.load() == Note("2"))
            }
            #expect(try await store.load() == Note("2"))
        }
    }

    @Test func `Reading a record writes nothing`() async throws {
        try await TestSchema.with { schema in
            let store = NoteStore("a", in: schema.database, key: Self.key)
            try await store.save(Note("1"))
            let statement = "SELECT xmin::text || ' ' || xmax::text FROM \(schema.name).records"
            let before = try await schema.query(statement)
            for _ in 1...5 { #expect(try await store.load() == Note("1")) }
            #expect(try await schema.query(statement) == before)
        }
    }

    @Test func `A lock that any role can take blocks nobody`() async throws {
        try await TestSchema.with { schema in
            let other = try await schema.anotherDatabase().pool.connection()
            let lock = "hashtextextended('\(schema.name) test-note a', 1)"
            try await other.run("SELECT pg_advisory_lock(\(lock))", within: .seconds(10))
            let store = NoteStore("a", in: schema.database, key: Self.key, lockLimit: .seconds(1))
            try await store.save(Note("1"))
            #expect(try await store.load() == Note("1"))
        }
    }

    @Test func `A row that does not exist is locked, and remains missing if nothing is saved`() async throws {
        try await TestSchema.with { schema in
            let store = NoteStore("a", in: schema.database, key: Self.key)
            let other = NoteStore("a", in: schema.anotherDatabase(), key: Self.key, lockLimit: .milliseconds(200))
            try await store.withExclusiveAccess {
                let loaded = [try await store.load(), try await other.load()]
                #expect(loaded == [nil, nil])
                await expectStoreError(.busy, "another process has held it for too long") {
                    try await other.save(Note("x"))
                }
            }
            #expect(try await schema.query("SELECT count(*) FROM \(schema.name).records") == ["0"])
        }
    }

    @Test func `Each row has its own key, and two keys are used while one is replaced`() async throws {
        try await TestSchema.with { schema in
            let (old, new) = (Self.key, RecordStoreKey.generate())
            let name = "a"
            func store(_ key: RecordStoreKey) -> NoteStore { NoteStore(name, in: schema.anotherDatabase(), key: key) }
            try await store(old).save(Note("1"))
            await expectStoreError(.key, "is encrypted under another key") { try await store(new).load() }
            #expect(try await store(old.alsoDecrypting(with: new)).load() == Note("1"))
            let both = store(new.alsoDecrypting(with: old))
            #expect(try await both.load() == Note("1"))
            try await both.reencrypt()
            #expect(try await store(new).load() == Note("1"))
            #expect(try await store(old.alsoDecrypting(with: new)).load() == Note("1"))
            await expectStoreError(.key, "is encrypted under another key") { try await store(old).load() }
            #expect(try await schema.database.names(of: Note.self) == [name])
        }
    }

    @Test func `Processes change a record one after the other`() async throws {
        try await TestSchema.with { schema in
            let rounds = 10
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<4 {
                    let store = NoteStore("counter", in: schema.anotherDatabase(), key: Self.key)
                    group.addTask {
                        for _ in 0..<rounds {
                            try await store.withExclusiveAccess {
                                let number = try await store.load().flatMap { Int($0.text) } ?? 0
                                try await store.save(Note("\(number + 1)"))
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await NoteStore("counter", in: schema.database, key: Self.key).load()?.text == "40")
        }
    }

    @Test func `A write is visible at once, and the access continues until its end`() async throws {
        try await TestSchema.with { schema in
            let store = NoteStore("a", in: schema.database, key: Self.key)
            let other = NoteStore("a", in: schema.anotherDatabase(), key: Self.key, lockLimit: .milliseconds(200))
            try await store.withExclusiveAccess {
                for note in [Note("1"), Note("2")] {
                    try await store.save(note)
                    #expect(try await other.load() == note)
                    await expectStoreError(.busy, "another process has held it for too long") {
                        try await other.save(Note("x"))
                    }
                }
                try await store.delete()
                #expect(try await other.load() == nil)
                await expectStoreError(.busy, "cannot be locked") { try await other.withExclusiveAccess {} }
            }
            try await other.save(Note("3"))
            #expect(try await store.load() == Note("3"))
        }
    }

    @Test func `A holder that is stopped for too long loses the access, and its write fails`() async throws {
        try await TestSchema.with { schema in
            let database = schema.anotherDatabase { config in
                config.holdLimit = .milliseconds(300)
                // The access keeps its connection when it is lost.
                config.maximumConnections = 1
            }
            let store = NoteStore("a", in: database, key: Self.key)
            let other = NoteStore("a", in: schema.database, key: Self.key)
            try await store.withExclusiveAccess {
                try await store.save(Note("1"))
                // Waits until the server has ended the first access.
                try await other.save(Note("2"))
                for _ in 1...2 {
                    await expectStoreError(.accessLost, "another process has changed it") {
                        try await store.save(Note("3"))
                    }
                }
                #expect(try await store.load() == Note("2"))
            }
            #expect(try await other.load() == Note("2"))
        }
    }

    @Test func `An access continues with another connection if nothing has changed`() async throws {
        try await TestSchema.with { schema in
            let store = NoteStore("a", in: schema.database, key: Self.key)
            let other = NoteStore("a", in: schema.anotherDatabase(), key: Self.key, lockLimit: .milliseconds(200))
            try await store.withExclusiveAccess {
                try await store.save(Note("1"))
                try await schema.endTransactions()
                try await store.save(Note("2"))
                await expectStoreError(.busy, "cannot be locked") { try await other.withExclusiveAccess {} }
                try await schema.endTransactions()
                #expect(try await store.load() == Note("2"))
            }
            try await other.save(Note("3"))
        }
    }

    @Test func `A save whose connection was lost does not wait as long for the lock as an access`() async throws {
        try await TestSchema.with { schema in
            let store = NoteStore("a", in: schema.database, key: Self.key)
            let other = try await schema.anotherDatabase().pool.connection()
            try await store.withExclusiveAccess {
                try await store.save(Note("1"))
                try await schema.endTransactions()
                try await other.run("BEGIN; SELECT 1 FROM \(schema.name).records FOR UPDATE", within: .seconds(30))
                let start = ContinuousClock.now
                await expectStoreError(.busy, "another process has held it for too long") {
                    try await store.save(Note("2"))
                }
                #expect(ContinuousClock.now - start < .seconds(60))
                try await other.run("ROLLBACK", within: .seconds(30))
                try await store.save(Note("3"))
            }
            #expect(try await store.load() == Note("3"))
        }
    }

    @Test func `A statement of the first transaction of an access ends after its limit, and the access continues`()
        async throws
    {
        try await TestSchema.with { schema in
            let database = schema.anotherDatabase { $0.statementLimit = .milliseconds(200) }
            let store = NoteStore("a", in: database, key: Self.key)
            let blocker = try await schema.anotherDatabase().pool.connection()
            try await store.save(Note("1"))
            try await store.withExclusiveAccess {
                try await blocker.run(
                    "BEGIN; LOCK TABLE \(schema.name).records IN SHARE MODE",
                    within: .seconds(10)
                )
                await expectStoreError(.timedOut, "the database took too long") { try await store.save(Note("2")) }
                try await blocker.run("ROLLBACK", within: .seconds(10))
                try await store.save(Note("3"))
            }
            #expect(try await store.load() == Note("3"))
        }
    }

    @Test func `A process that lost its connection stores the response that it waited for before others continue`()
        async throws
    {
        try await TestSchema.with { schema in
            let store = NoteStore("a", in: schema.database, key: Self.key)
            let database = schema.anotherDatabase()
            let other = NoteStore("a", in: database, key: Self.key)
            let (_, process) = try await schema.openConnection(of: database)
            let next = try await store.withExclusiveAccess {
                try await store.save(Note("1"))
                try await schema.endTransactions()
                let next = Task { try await other.withExclusiveAccess { try await other.load() } }
                // The other store has locked the row, and leaves it to this one.
                try await schema.wait(for: process, until: "query = 'ROLLBACK'")
                try await store.save(Note("2"))
                return next
            }
            #expect(try await next.value == Note("2"))
        }
    }

    @Test func `A pending record of a process that has ended delays others only for a moment`() async throws {
        try await TestSchema.with { schema in
            let store = NoteStore("a", in: schema.database, key: Self.key)
            try await store.withExclusiveAccess {
                try await store.save(Note("1"))
                try await schema.endTransactions()
            }
            #expect(try await schema.query("SELECT pending <> '' FROM \(schema.name).records") == ["t"])
            try await NoteStore("a", in: schema.anotherDatabase(), key: Self.key).save(Note("2"))
            #expect(try await store.load() == Note("2"))
        }
    }

    @Test func `A process that stops waiting for a response does not delay others`() async throws {
        try await TestSchema.with { schema in
            try await NoteStore("a", in: schema.database, key: Self.key).save(Note("1"))
            #expect(try await schema.query("SELECT pending FROM \(schema.name).records") == [""])
        }
    }

    @Test func `A cancelled task stops waiting for the lock, also on the server`() async throws {
        try await TestSchema.with { schema in
            let store = NoteStore("a", in: schema.database, key: Self.key)
            let database = schema.anotherDatabase()
            let other = NoteStore("a", in: database, key: Self.key)
            // The connection stays open, so that the server does not end the wait because it was closed.
            let (connection, process) = try await schema.openConnection(of: database)
            try await store.withExclusiveAccess {
                let task = Task { try await other.withExclusiveAccess {} }
                try await schema.wait(for: process, until: "wait_event_type = 'Lock'")
                task.cancel()
                await #expect(throws: CancellationError.self) { try await task.value }
                try await schema.wait(for: process, until: "state <> 'active'")
            }
            withExtendedLifetime(connection) {}
            try await other.save(Note("1"))
        }
    }

    @Test func `A save succeeds in a task that has been cancelled`() async throws {
        try await TestSchema.with { schema in
            let store = NoteStore("a", in: schema.database, key: Self.key)
            let task = Task {
                try await store.withExclusiveAccess {
                    withUnsafeCurrentTask { $0?.cancel() }
                    try await store.save(Note("1"))
                }
            }
            try await task.value
            #expect(try await store.load() == Note("1"))
        }
    }

    @Test func `A process uses no more connections than the maximum, and reuses them`() async throws {
        try await TestSchema.with { schema in
            let database = schema.anotherDatabase { config in
                config.maximumConnections = 1
                config.poolLimit = .milliseconds(200)
            }
            let store = NoteStore("a", in: database, key: Self.key)
            let other = NoteStore("b", in: database, key: Self.key)
            try await store.withExclusiveAccess {
                let task = Task.detached { try await other.load() }
                await expectStoreError(.busy, "all 1 connections of this process were in use") { try await task.value }
            }
            let first = try await database.pool.connection()
            database.pool.recycle(first)
            try await store.save(Note("1"))
            _ = try await other.load()
            #expect(try await database.pool.connection() === first)
        }
    }

    @Test func `An unused connection is closed after the limit`() async throws {
        try await TestSchema.with { schema in
            let database = schema.anotherDatabase { $0.idleLimit = .milliseconds(100) }
            weak var connection: PostgresConnection?
            do {
                let first = try await database.pool.connection()
                connection = first
                database.pool.recycle(first)
            }
            let end = ContinuousClock.now + .patience
            while connection != nil, ContinuousClock.now < end { await Task.yield() }
            #expect(connection == nil)
        }
    }

    @Test func `A connection that the server has closed while it was unused is not used again`() async throws {
        try await TestSchema.with { schema in
            let store = NoteStore("a", in: schema.database, key: Self.key)
            try await store.save(Note("1"))
            let (_, process) = try await schema.openConnection(of: schema.database)
            #expect(try await schema.query("SELECT pg_terminate_backend(\(process), 10000)") == ["t"])
            #expect(try await store.load() == Note("1"))
        }
    }
}

#endif
