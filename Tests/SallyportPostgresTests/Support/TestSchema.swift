#if PostgreSQL && os(Linux)

import Foundation
import SallyportOAuth
import SallyportStorage
import TestSupport
import Testing

@testable import SallyportPostgres

/// A schema of the database that `.ci/real-servers postgres` has started, used by one test.
struct TestSchema: Sendable {
    /// The URL of the database, for a superuser, and the password.
    static let url = ProcessInfo.processInfo.environment["SALLYPORT_POSTGRES"]
    static let password = ProcessInfo.processInfo.environment["SALLYPORT_POSTGRES_PASSWORD"]

    let name: String
    let database: PostgresDatabase

    /// Runs a closure with a new schema, which is removed afterwards.
    static func with(isMigrated: Bool = true, _ body: (TestSchema) async throws -> Void) async throws {
        let schema = TestSchema(name: "test_\(UUID().uuidString.replacing("-", with: "_").lowercased())")
        if isMigrated { try await schema.database.migrate() }
        let result: Result<Void, any Error>
        do { result = .success(try await body(schema)) } catch { result = .failure(error) }
        try await schema.query("DROP SCHEMA IF EXISTS \(schema.name) CASCADE")
        try result.get()
    }

    private init(name: String) {
        self.name = name
        database = Self.database(of: name)
    }

    /// Returns another database with the same schema, as another process would use it.
    func anotherDatabase(_ configure: (inout PostgresConfiguration) -> Void = { _ in }) -> PostgresDatabase {
        Self.database(of: name, configure)
    }

    /// Returns a database with the schema, for another user without a password.
    func database(
        changing change: (String) -> String,
        password: String? = TestSchema.password,
        _ configure: (inout PostgresConfiguration) -> Void = { _ in }
    ) throws -> PostgresDatabase {
        try PostgresDatabase(change(try #require(Self.url)), password: password) { config in
            config.schema = name
            configure(&config)
        }
    }

    private static func database(
        of schema: String,
        _ configure: (inout PostgresConfiguration) -> Void = { _ in }
    ) -> PostgresDatabase {
        do {
            return try PostgresDatabase(url ?? "postgres:///", password: password) { config in
                config.schema = schema
                configure(&config)
            }
        } catch {
            fatalError("SALLYPORT_POSTGRES cannot be used: \(error)")
        }
    }

    /// Runs a statement with a connection of its own, and returns the columns of the first row as text.
    @discardableResult
    func query(_ statement: String) async throws -> [String] {
        let connection = try await anotherDatabase().pool.connection()
        let rows = try await connection.run(statement, within: .seconds(30))
        return (rows.first ?? []).map { String(decoding: $0 ?? Data(), as: UTF8.self) }
    }

    /// Opens the connection that a database uses next.
    ///
    /// - Returns: The connection, and the number of the server's process for it.
    func openConnection(of database: PostgresDatabase) async throws -> (PostgresConnection, process: String) {
        let connection = try await database.pool.connection()
        let row = try #require(try await connection.run("SELECT pg_backend_pid()", within: .seconds(10)).first)
        database.pool.recycle(connection)
        return (connection, String(decoding: try #require(row[0]), as: UTF8.self))
    }

    /// Waits until a condition on the row of `pg_stat_activity` for a process of the server is met.
    func wait(for process: String, until condition: String) async throws {
        let observer = try await anotherDatabase().pool.connection()
        let statement = "SELECT 1 FROM pg_stat_activity WHERE pid = \(process) AND \(condition)"
        try await withDeadline(.patience, "the process to meet \(condition)") {
            while try await observer.run(statement, within: .seconds(30)).isEmpty {}
        }
    }

    /// Ends the connections that are in a transaction and use the schema, as an administrator or a failing network does.
    func endTransactions() async throws {
        try await query(
            """
            SELECT count(pg_terminate_backend(pid, 10000)) FROM pg_stat_activity
            WHERE pid IN (SELECT pid FROM pg_locks WHERE relation = '\(name).records'::regclass) AND pid <> pg_backend_pid()
            """
        )
    }
}

extension Trait where Self == ConditionTrait {
    /// Skips the tests if no database has been started for them.
    static var withPostgres: Self { .enabled(if: TestSchema.url != nil, "run .ci/real-servers postgres") }
}

/// A record with a number.
struct Note: StoredRecord, Equatable {
    static let format = RecordFormat(name: "test-note", version: 1, noun: "note", recovery: "write it again")
    var owner = "alice"
    var text: String

    init(_ text: String) { self.text = text }
}

typealias NoteStore = PostgresRecordStore<Note>

/// Expects an error of a store, whose description contains some words and not the password of the database.
func expectStoreError(
    _ reason: RecordStoreError.Reason,
    _ words: String,
    sourceLocation: SourceLocation = #_sourceLocation,
    of body: () async throws -> some Any
) async {
    let error = await expectError(\RecordStoreError.reason, reason, sourceLocation: sourceLocation, body)
    guard let error else { return }
    #expect(error.description.contains(words), "\(error)", sourceLocation: sourceLocation)
    if let password = TestSchema.password {
        #expect(!error.description.contains(password), "\(error)", sourceLocation: sourceLocation)
    }
}

#endif
