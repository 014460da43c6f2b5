#if PostgreSQL && os(Linux)

import SallyportStorage

/// A PostgreSQL database with the records of a fleet. It has a small pool of connections, which the stores of a process share.
///
/// ```swift
/// let database = try PostgresDatabase("postgres://app@db.example.com/tokens")
/// try await database.migrate()
/// let session = OAuthSession(
///     refresher: client,
///     store: PostgresTokenStore("user-42", in: database, key: try .environment("TOKEN_KEY"))
/// )
/// ```
public final class PostgresDatabase: Sendable {
    /// Creates a database. No connection is opened yet.
    ///
    /// - Parameters:
    ///   - url: The URL, with libpq's parameters, such as `postgres://app@db.example.com/tokens?sslrootcert=/etc/db-ca.pem`.
    ///   - password: The password; `nil` for the one in the URL, the variable `PGPASSWORD` or libpq's password file.
    ///   - configure: Changes the limits.
    /// - Throws: ``RecordStoreError`` if the URL or a limit cannot be used.
    public init(
        _ url: String,
        password: String? = nil,
        configure: (inout PostgresConfiguration) -> Void = { _ in }
    ) throws(RecordStoreError) {
        throw RecordStoreError(.cannotRead, "not implemented yet")
    }

    /// Creates or updates the tables.
    ///
    /// - Returns: The versions of the schema before and after it.
    @discardableResult
    public func migrate() async throws(RecordStoreError) -> (from: Int, to: Int) {
        throw RecordStoreError(.cannotRead, "not implemented yet")
    }

    /// Closes the unused connections. Others are closed when they are no longer used.
    public func close() async {}
}

#endif
