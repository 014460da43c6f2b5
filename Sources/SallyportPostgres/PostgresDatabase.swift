#if PostgreSQL && os(Linux)

import Foundation
import SallyportStorage

/// A PostgreSQL database with the records of a fleet. It has a small pool of connections, which the stores of a process share.
///
/// ```swift
/// let database = try PostgresDatabase("postgres://app@db.example.com/tokens")
/// let session = OAuthSession(
///     refresher: client,
///     store: PostgresTokenStore("user-42", in: database, key: try .environment("TOKEN_KEY"))
/// )
/// ```
///
/// The tables are created by ``migrate()`` or the command `sallyport store migrate`, once per release and not by each process.
///
/// Connections to a loopback address use TLS. Connections to another machine also verify the certificate and the name of the server
/// (`sslmode=verify-full`). The URL or the variable `PGSSLMODE` can state another mode. The system's certificate authorities are used,
/// unless libpq's parameter `sslrootcert` states others.
public final class PostgresDatabase: Sendable {
    let pool: PostgresConnectionPool
    let configuration: PostgresConfiguration
    private let settings: ConnectionSettings

    /// Creates a database. No connection is opened yet.
    ///
    /// - Parameters:
    ///   - url: The URL, with libpq's parameters, such as `postgres://app@db.example.com/tokens?sslrootcert=/etc/db-ca.pem`. It can
    ///     list several hosts; the first that accepts writes is used.
    ///   - password: The password; `nil` for the one in the URL, the variable `PGPASSWORD` or libpq's password file.
    ///   - configure: Changes the limits.
    /// - Throws: ``RecordStoreError`` with the reason ``RecordStoreError/Reason/configuration``. It contains no part of the URL.
    public init(
        _ url: String,
        password: String? = nil,
        configure: (inout PostgresConfiguration) -> Void = { _ in }
    ) throws(RecordStoreError) {
        var configuration = PostgresConfiguration()
        configure(&configuration)
        try configuration.check()
        settings = try ConnectionSettings(url, password: password, limit: configuration.connectLimit)
        self.configuration = configuration
        pool = PostgresConnectionPool(settings, configuration)
    }

    /// Creates the tables, or updates the tables of an earlier version.
    ///
    /// It can be called again, and by several processes at once: the others wait for the first. All changes are one transaction.
    ///
    /// - Returns: The version of the tables before, 0 if there were none, and after it.
    /// - Throws: ``RecordStoreError`` or `CancellationError`.
    @discardableResult
    public func migrate() async throws -> (from: Int, to: Int) {
        do {
            return try await pool.withSlot { [self] in
                let connection = try await pool.connection()
                let versions = try await SchemaMigration(configuration).run(with: connection)
                pool.recycle(connection)
                return versions
            }
        } catch let failure as PostgresFailure {
            throw failure.error("the tables of \(self) cannot be created or updated", .cannotWrite)
        }
    }

    /// Returns the names of the rows with records of a type.
    ///
    /// - Throws: ``RecordStoreError`` or `CancellationError`.
    public func names<Record: StoredRecord>(of type: Record.Type) async throws -> [String] {
        do {
            return try await pool.withSlot { [self] in
                // A replica may lack rows.
                let connection = try await pool.connection()
                let rows = try await connection.run(
                    RowStatements(configuration).names,
                    [.text(Record.format.name)],
                    within: configuration.statementLimit + .seconds(1)
                )
                pool.recycle(connection)
                return rows.compactMap { row in row[0].map { String(decoding: $0, as: UTF8.self) } }
            }
        } catch let failure as PostgresFailure {
            throw await explained(failure).error("the rows of \(self) cannot be read", .cannotRead)
        }
    }

    /// Returns a failure that states the version of the tables if another version explains the failure; otherwise the failure itself.
    func explained(_ failure: PostgresFailure) async -> PostgresFailure {
        guard failure.maySignifyOtherVersion else { return failure }
        let version = try? await pool.withSlot { [self] in
            let connection = try await pool.connection(acceptsReplica: true)
            let version = try await SchemaMigration(configuration).existingVersion(with: connection)
            pool.recycle(connection)
            return version
        }
        guard let version, version != SchemaMigration.version else { return failure }
        return .otherVersion(version)
    }

    /// Closes the unused connections. The database can still be used, and opens new ones then.
    public func close() { pool.closeIdle() }

    /// Returns the value of a row; `nil` if there is no row.
    func read(_ row: RowAccess.RowName) async throws -> Data? {
        try await pool.withSlot { [self] in try await readWithinSlot(row) }
    }

    /// Returns the value of a row; `nil` if there is no row. Reading needs one round trip and no lock.
    ///
    /// The caller may use one connection at a time (``PostgresConnectionPool/withSlot(_:)``).
    func readWithinSlot(_ row: RowAccess.RowName) async throws(PostgresFailure) -> Data? {
        let connection = try await pool.connection(acceptsReplica: true)
        let rows = try await connection.run(
            RowStatements(configuration).read,
            row.valuesWithMaximum,
            within: configuration.statementLimit + .seconds(1)
        )
        pool.recycle(connection)
        guard let first = rows.first else { return nil }
        return try row.value(in: first).get()
    }

    /// Returns an exclusive access to a row, which has not been acquired yet.
    func access(to row: RowAccess.RowName, holder: String, lockLimit: Duration) -> RowAccess {
        RowAccess(
            to: row,
            in: pool,
            holder: holder,
            configuration: configuration,
            lockLimit: lockLimit
        )
    }
}

extension PostgresDatabase: CustomStringConvertible, CustomReflectable {
    /// The name of the database and its hosts.
    public var description: String { settings.description }

    /// The same as ``description``, so that `dump` does not print the password.
    public var customMirror: Mirror { Mirror(self, children: ["database": description]) }
}

#endif
