#if PostgreSQL && os(Linux)

import SallyportStorage

/// Creates the tables of a ``PostgresDatabase``, or updates the tables of an earlier version, in one transaction.
struct SchemaMigration {
    /// The changes from each version to the next, beginning with version 0, a database without tables. Changes of a released version
    /// stay as they are; others are added at the end.
    private static let changes = [
        """
        CREATE TABLE records (
            format text NOT NULL,
            name text NOT NULL,
            value bytea NOT NULL,
            revision text NOT NULL,
            pending text NOT NULL DEFAULT '',
            updated timestamptz NOT NULL DEFAULT now(),
            PRIMARY KEY (format, name)
        );
        COMMENT ON TABLE records IS 'Encrypted records of Sallyport, one row per kind and owner';
        COMMENT ON COLUMN records.revision IS 'Changes with each write';
        COMMENT ON COLUMN records.pending IS 'The store that has exclusive access and has written'
        """
    ]

    /// The version of the tables that this module uses.
    static var version: Int { changes.count }

    private let schema: String
    private let statementLimit: Duration

    /// The maximum time to wait for another process that migrates.
    private static let lockLimit: Duration = .seconds(60)

    init(_ configuration: PostgresConfiguration) {
        schema = configuration.schema
        statementLimit = configuration.statementLimit
    }

    /// The maximum time to wait for the response to a statement. The server's own limit comes first.
    private var limit: Duration { statementLimit + .seconds(1) }

    /// Runs the changes that are missing.
    ///
    /// - Returns: The version before and after it.
    func run(with connection: PostgresConnection) async throws(PostgresFailure) -> (from: Int, to: Int) {
        try await connection.run("BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL statement_timeout = 0", within: limit)
        try await connection.run(
            """
            SELECT set_config('lock_timeout', $2, true), set_config('statement_timeout', $3, true),
                pg_advisory_xact_lock(hashtextextended($1, 2))
            """,
            [.text(schema), .text(Self.lockLimit.milliseconds), .text(statementLimit.milliseconds)],
            within: Self.lockLimit + .seconds(1)
        )
        let exists = try await connection.run(
            "SELECT 1 FROM pg_namespace WHERE nspname = $1",
            [.text(schema)],
            within: limit
        )
        // The configuration has checked that the name is an identifier. It may be a keyword.
        if exists.isEmpty { try await connection.run("CREATE SCHEMA \"\(schema)\"", within: limit) }
        try await connection.run("SET LOCAL search_path TO \"\(schema)\"", within: limit)
        let version = try await version(with: connection)
        guard version <= Self.version else {
            throw .otherVersion(version)
        }
        for change in Self.changes[version...] { try await connection.run(change, within: limit) }
        for number in version..<Self.version {
            try await connection.run(
                "INSERT INTO migrations (version) VALUES ($1::text::integer)",
                [.text("\(number + 1)")],
                within: limit
            )
        }
        try await connection.run("COMMIT", within: limit)
        return (version, Self.version)
    }

    /// Returns the version of the tables; throws an error if there are none.
    func existingVersion(with connection: PostgresConnection) async throws(PostgresFailure) -> Int {
        // A statement without values has results in text.
        let rows = try await connection.run("SELECT max(version) FROM \"\(schema)\".migrations", within: limit)
        return rows.first?.first.flatMap { $0 }.flatMap { Int(String(decoding: $0, as: UTF8.self)) } ?? 0
    }

    private func version(with connection: PostgresConnection) async throws(PostgresFailure) -> Int {
        let table = try await connection.run(
            "SELECT 1 FROM pg_tables WHERE schemaname = $1 AND tablename = 'migrations'",
            [.text(schema)],
            within: limit
        )
        if table.isEmpty {
            try await connection.run(
                "CREATE TABLE migrations (version integer PRIMARY KEY, applied timestamptz NOT NULL DEFAULT now())",
                within: limit
            )
        }
        return try await existingVersion(with: connection)
    }
}

#endif
