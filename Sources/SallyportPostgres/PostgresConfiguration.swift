#if PostgreSQL && os(Linux)

import SallyportStorage

/// The limits of a ``PostgresDatabase``, and the schema that it uses.
///
/// ```swift
/// let database = try PostgresDatabase("postgres://app@db.example.com/tokens") { config in
///     config.maximumConnections = 20
/// }
/// ```
public struct PostgresConfiguration: Sendable {
    /// The schema of the tables. It has lower-case letters, digits and underscores. The default is `sallyport`.
    public var schema = "sallyport"

    /// The maximum number of connections of this process: 1 to 100. The default is 10.
    ///
    /// An exclusive access uses one for its whole duration. A task that reads or locks another row within it uses a second one, as a
    /// refresh of a `Journey` does that reads the session. Those are not counted, and there are at most as many of them.
    public var maximumConnections = 10

    /// The maximum time to wait for a free connection, of this process and then of the database, in addition to ``connectLimit``. The
    /// default is 30 seconds.
    public var poolLimit: Duration = .seconds(30)

    /// The maximum time to connect to a host of the URL, including TLS and authentication. The default is 10 seconds.
    public var connectLimit: Duration = .seconds(10)

    /// The maximum duration of a statement, except the one that waits for exclusive access. The default is 10 seconds.
    public var statementLimit: Duration = .seconds(10)

    /// The maximum time between two statements within an exclusive access. The default is 75 seconds.
    ///
    /// The server then ends the connection, so that a process that has been stopped does not block others. It must be longer than
    /// the `refreshLimit` of each `OAuthSession` that uses the database, which is not checked.
    public var holdLimit: Duration = .seconds(75)

    /// The time after which an unused connection is closed. The default is 1 second, so that a fleet does not keep connections that others
    /// need: a process uses the database only when tokens are due.
    public var idleLimit: Duration = .seconds(1)

    /// Checks that the settings can be used.
    func check() throws(RecordStoreError) {
        let isIdentifier = schema.wholeMatch(of: #/[a-z_][a-z0-9_]{0,62}/#) != nil
        guard isIdentifier, !schema.hasPrefix("pg_") else {
            throw Self.invalid("the schema has other characters than a-z, 0-9 and _, or begins with pg_")
        }
        // Each wait for the database blocks a thread, and libdispatch has at most 255 for such waits. If all of them waited for locks, a
        // holder could not store its record and release its lock. There are at most twice as many connections as this maximum.
        guard 1...100 ~= maximumConnections else { throw Self.invalid("the maximum of connections is not 1 to 100") }
        let limits = [poolLimit, connectLimit, statementLimit, holdLimit, idleLimit]
        guard limits.allSatisfy({ $0 >= .milliseconds(1) && $0 <= .seconds(86400) }) else {
            throw Self.invalid("a time limit is shorter than a millisecond or longer than a day")
        }
    }

    private static func invalid(_ problem: String) -> RecordStoreError {
        RecordStoreError(.configuration, "the configuration of the database cannot be used: \(problem)")
    }
}

#endif
