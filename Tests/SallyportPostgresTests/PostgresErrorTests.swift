#if PostgreSQL && os(Linux)

import Foundation
import SallyportStorage
import TestSupport
import Testing

@testable import SallyportPostgres

@Suite(.concurrencyLimited, .withPostgres) struct PostgresErrorTests {
    private static let key = RecordStoreKey.generate()

    /// Creates a role, which is removed when the closure returns, and calls the closure with a database for it.
    private func withRole(
        in schema: TestSchema,
        _ statements: (String) -> [String],
        _ body: (PostgresDatabase) async throws -> Void
    ) async throws {
        let role = "role_\(schema.name)"
        try await schema.query("CREATE ROLE \(role) LOGIN PASSWORD 'canary-password'")
        let result: Result<Void, any Error>
        do {
            for statement in statements(role) { try await schema.query(statement) }
            let database = try schema.database(
                changing: { $0.replacing("//sallyport@", with: "//\(role)@") },
                password: "canary-password"
            )
            result = .success(try await body(database))
        } catch {
            result = .failure(error)
        }
        try await schema.query("DROP OWNED BY \(role); DROP ROLE \(role)")
        try result.get()
    }

    @Test func `A database without tables is reported with the command that creates them`() async throws {
        try await TestSchema.with(isMigrated: false) { schema in
            let store = NoteStore("a", in: schema.database, key: Self.key)
            await expectStoreError(.schema, "run sallyport store migrate") { try await store.load() }
            await expectStoreError(.schema, "run sallyport store migrate") { try await store.save(Note("1")) }
        }
    }

    @Test func `A wrong password and an unknown database are reported`() async throws {
        try await TestSchema.with { schema in
            let locked = try schema.database(changing: { $0 }, password: "canary-password")
            await expectStoreError(.notPermitted, "check the user, the password and pg_hba.conf") {
                try await NoteStore("a", in: locked, key: Self.key).load()
            }
            let other = try schema.database(changing: { $0.replacing("/sallyport?", with: "/nowhere?") })
            await expectStoreError(.configuration, "correct the URL or create the database") {
                try await NoteStore("a", in: other, key: Self.key).load()
            }
        }
    }

    @Test func `A user without permissions can be granted what the store needs`() async throws {
        try await TestSchema.with { schema in
            try await withRole(in: schema, { _ in [] }) { database in
                let store = NoteStore("a", in: database, key: Self.key)
                await expectStoreError(.notPermitted, "permission denied for schema") { try await store.load() }
                try await schema.query("GRANT USAGE ON SCHEMA \(schema.name) TO role_\(schema.name)")
                database.close()
                await expectStoreError(.notPermitted, "grant the user access to the tables") { try await store.load() }
                try await schema.query(
                    "GRANT SELECT, INSERT, UPDATE, DELETE ON \(schema.name).records TO role_\(schema.name)"
                )
                try await store.save(Note("1"))
                #expect(try await store.load() == Note("1"))
                try await store.delete()
            }
        }
    }

    @Test func `A database that accepts no writes is only read`() async throws {
        try await TestSchema.with { schema in
            try await NoteStore("a", in: schema.database, key: Self.key).save(Note("1"))
            let readOnly = { (role: String) in
                [
                    "GRANT USAGE ON SCHEMA \(schema.name) TO \(role)",
                    "GRANT ALL ON \(schema.name).records TO \(role)",
                    "ALTER ROLE \(role) SET default_transaction_read_only = on",
                ]
            }
            try await withRole(in: schema, readOnly) { database in
                let other = NoteStore("a", in: database, key: Self.key)
                #expect(try await other.load() == Note("1"))
                await expectStoreError(.readOnly, "is a replica or accepts no writes") {
                    try await other.save(Note("2"))
                }
                #expect(try await other.load() == Note("1"))
                let any = try schema.database(
                    changing: {
                        $0.replacing("//sallyport@", with: "//role_\(schema.name)@") + "&target_session_attrs=any"
                    },
                    password: "canary-password"
                )
                let store = NoteStore("a", in: any, key: Self.key)
                #expect(try await store.load() == Note("1"))
                await expectStoreError(.readOnly, "the database accepts no writes") { try await store.save(Note("2")) }
            }
        }
    }

    @Test func `A slow statement ends after its limit`() async throws {
        try await TestSchema.with { schema in
            let connection = try await schema.anotherDatabase().pool.connection()
            try await connection.run("BEGIN; LOCK TABLE \(schema.name).records", within: .seconds(10))
            let database = schema.anotherDatabase { $0.statementLimit = .milliseconds(200) }
            let store = NoteStore("a", in: database, key: Self.key)
            await expectStoreError(.timedOut, "did not respond within") { try await store.load() }
            try await connection.run("ROLLBACK", within: .seconds(10))
            #expect(try await store.load() == nil)
        }
    }

    @Test func `A full disk is reported, and the access continues`() async throws {
        try await TestSchema.with { schema in
            // The server reports a full disk with this code when it cannot extend a table. The trigger only raises the same error: a
            // full log, with which the server stops, is not tested.
            try await schema.query(
                """
                CREATE FUNCTION \(schema.name).refuse() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = 'disk_full'; END $$;
                CREATE TRIGGER refuse BEFORE UPDATE ON \(schema.name).records
                    FOR EACH ROW WHEN (OLD.revision <> '' AND NEW.revision <> OLD.revision) EXECUTE FUNCTION \(schema.name).refuse()
                """
            )
            let store = NoteStore("a", in: schema.database, key: Self.key)
            let other = NoteStore("a", in: schema.anotherDatabase(), key: Self.key, lockLimit: .milliseconds(200))
            try await store.withExclusiveAccess {
                try await store.save(Note("1"))
                await expectStoreError(.full, "free some space") { try await store.save(Note("2")) }
                await expectStoreError(.busy, "cannot be locked") { try await other.withExclusiveAccess {} }
                #expect(try await store.load() == Note("1"))
                try await schema.query("ALTER TABLE \(schema.name).records DISABLE TRIGGER refuse")
                try await store.save(Note("3"))
            }
            #expect(try await other.load() == Note("3"))
        }
    }

    @Test func `A certificate that no trusted authority has issued is refused`() async throws {
        try await TestSchema.with { schema in
            let url = try #require(TestSchema.url)
            let trusted = "sslrootcert="
            let end = try #require(url.range(of: trusted)?.upperBound)
            let database = try schema.database(
                changing: { _ in url[..<end] + "/etc/ssl/certs/ca-certificates.crt" }
            )
            await expectStoreError(.configuration, "set sslrootcert to the file") {
                try await NoteStore("a", in: database, key: Self.key).load()
            }
        }
    }
}

@Suite(.concurrencyLimited) struct UnreachableDatabaseTests {
    private static let key = RecordStoreKey.generate()

    /// Runs a closure with the port of a socket that accepts connections, or refuses them, and never sends anything.
    private func withSilentPort(accepting: Bool, _ body: (Int) async throws -> Void) async throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        try withUnsafeMutablePointer(to: &address) { pointer in
            try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                try #require(bind(descriptor, address, size) == 0)
                try #require(getsockname(descriptor, address, &size) == 0)
            }
        }
        if accepting { try #require(listen(descriptor, 5) == 0) }
        try await body(Int(UInt16(bigEndian: address.sin_port)))
    }

    @Test func `A refused connection is reported without the password`() async throws {
        try await withSilentPort(accepting: false) { port in
            let database = try PostgresDatabase("postgres://u:canary-password@127.0.0.1:\(port)/d")
            let store = PostgresTokenStore("a", in: database, key: Self.key)
            let error = await expectError(\RecordStoreError.reason, .unreachable) { try await store.load() }
            let text = error?.description ?? ""
            #expect(text.contains("the token row a of the database d at 127.0.0.1 cannot be read"), "\(text)")
            #expect(text.contains("try again later") && !text.contains("canary"), "\(text)")
        }
    }

    @Test func `A server that never responds is given up after the limit, and after that the next host`() async throws {
        try await withSilentPort(accepting: true) { port in
            let database = try PostgresDatabase(
                "postgres://127.0.0.1:\(port),127.0.0.1:\(port)/d",
                password: "canary-password"
            ) { $0.connectLimit = .milliseconds(100) }
            await expectError(\RecordStoreError.reason, .timedOut) { try await database.migrate() }
        }
    }

    @Test func `A task that is cancelled while it connects ends`() async throws {
        try await withSilentPort(accepting: true) { port in
            let database = try PostgresDatabase("postgres://127.0.0.1:\(port)/d")
            let task = Task { try await PostgresTokenStore("a", in: database, key: Self.key).load() }
            task.cancel()
            await #expect(throws: CancellationError.self) { _ = try await task.value }
        }
    }
}

#endif
