#if PostgreSQL && os(Linux)

/// The statements for rows of the table of a schema. `$1` and `$2` are the primary key.
struct RowStatements: Sendable {
    private let table: String

    /// - Parameter configuration: The configuration, which has been checked.
    init(_ configuration: PostgresConfiguration) {
        // The name may be a keyword.
        table = "\"\(configuration.schema)\".records"
    }

    private static let row = "WHERE format = $1 AND name = $2"

    /// Returns the value if it is not longer than `$3`, its length, the revision and the mark.
    var read: String {
        "SELECT \(RowAccess.RowName.valueColumns), revision, pending FROM \(table) \(Self.row)"
    }

    /// Returns the names of all rows of the format `$1`.
    var names: String { "SELECT name FROM \(table) WHERE format = $1 ORDER BY name" }

    /// Locks the row, and returns it as ``read`` does.
    ///
    /// Sets `statement_timeout` to `$4`, and `idle_in_transaction_session_timeout` to `$5`, or to `$7` if the row has a mark other than
    /// `$6`: a stopped process that only looks at the row must not block the owner of the mark.
    var lock: String {
        """
        SELECT \(RowAccess.RowName.valueColumns), revision, pending, set_config('statement_timeout', $4, true),
            set_config('idle_in_transaction_session_timeout', CASE WHEN pending IN ('', $6) THEN $5 ELSE $7 END, true)
        FROM \(table) \(Self.row) FOR UPDATE
        """
    }

    /// Inserts the row without a value, with the limits `$3` and `$4` for the statements that follow and the time without one.
    var insert: String {
        """
        INSERT INTO \(table) (format, name, value, revision) VALUES ($1, $2, '', '')
        ON CONFLICT DO NOTHING RETURNING revision, set_config('statement_timeout', $3, true),
            set_config('idle_in_transaction_session_timeout', $4, true)
        """
    }

    /// Replaces the revision `$3`.
    var update: String {
        """
        UPDATE \(table) SET value = $4, revision = $5, pending = $6, updated = now()
        \(Self.row) AND revision = $3 RETURNING revision
        """
    }

    /// Removes the revision `$3`.
    var delete: String { "DELETE FROM \(table) \(Self.row) AND revision = $3 RETURNING revision" }

    /// Removes the mark of the revision `$3`.
    var unmark: String { "UPDATE \(table) SET pending = '' \(Self.row) AND revision = $3 RETURNING revision" }
}

#endif
