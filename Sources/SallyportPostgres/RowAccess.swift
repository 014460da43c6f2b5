#if PostgreSQL && os(Linux)

import Foundation
import SallyportStorage

/// Exclusive access to a row, from ``acquire()`` to ``release()``.
///
/// The access is a transaction that locks the row (`SELECT … FOR UPDATE`). If there is no row, it inserts one, which other processes
/// wait for, and never see unless a value is written. A write is committed at once, together with a mark (`pending`), and the row is
/// locked again in the next transaction (`COMMIT AND CHAIN`). Another process that was waiting gets the lock between these two
/// transactions. It sees the mark, and releases the lock. The end of the access removes the mark. If the process is stopped, the server
/// ends its idle transaction, and with it the lock.
///
/// Each write has a new revision, and replaces only the revision that this access has seen last. An access that has lost its
/// connection therefore continues with another one if the row is unchanged, and fails otherwise. If the confirmation of a write is
/// lost, the revision also tells whether the write was committed.
///
/// Each lock and each setting ends with its transaction, so this works through PgBouncer in transaction mode.
final class RowAccess: Sendable {
    /// The kind and the name of a row, which are its primary key, and the maximum length of its value.
    struct RowName: Sendable {
        let format: String
        let name: String
        /// The maximum length of the value, in bytes. A longer one is not read.
        let maximumSize: Int

        /// The values of `$1` and `$2`.
        var values: [PostgresConnection.Value] { [.text(format), .text(name)] }

        /// The values of `$1` to `$3` of a statement with ``valueColumns``.
        var valuesWithMaximum: [PostgresConnection.Value] { values + [.text("\(maximumSize)")] }

        /// The value, or NULL if it is longer than `$3`, and its length.
        static let valueColumns =
            "CASE WHEN octet_length(value) <= $3::integer THEN value END, octet_length(value)::text"

        /// Returns the value in a row that begins with ``valueColumns``.
        func value(in row: PostgresConnection.Row) -> Result<Data?, PostgresFailure> {
            if let value = row[0] { return .success(value) }
            let size = row[1].flatMap { Int(String(decoding: $0, as: UTF8.self)) }
            return .failure(.tooLarge(size: size ?? 0, maximum: maximumSize))
        }
    }

    private struct State: Sendable {
        var connection: PostgresConnection?
        /// The value, `nil` if there is no row, or the failure if it is too long.
        var value: Result<Data?, PostgresFailure> = .success(nil)
        /// The revision of the row; `nil` if there is no row.
        var revision: String?
        /// The change that was sent and not confirmed. Its revision is `nil` for a deletion.
        var unconfirmed: (revision: String?, value: Data?)?
        /// `true` if the row has the mark of this access.
        var isMarked = false
        var isLost = false
    }

    /// The maximum time to wait for the lock with another connection after one was lost, because callers wait for the access. The
    /// lock is held by another process, which is going to change the row, or by the lost connection until
    /// ``PostgresConfiguration/holdLimit``.
    private static let relockLimit: Duration = .seconds(5)

    /// The maximum time that ``acquire()`` leaves a row to another store that has marked it.
    ///
    /// A file store has no such time: the system releases the lock of a file when its process has ended. The database also releases the lock
    /// when the connection is lost, while the process still waits for a response that it is going to store.
    private static let pendingLimit: Duration = .seconds(2)

    /// The pause between two attempts to acquire a marked row. It is longer than the other store needs to lock the row again.
    private static let retryPause: Duration = .milliseconds(100)

    private let name: RowName
    private let pool: PostgresConnectionPool
    private let configuration: PostgresConfiguration
    private let lockLimit: Duration
    /// Identifies the store in the mark, so that it does not wait for itself.
    private let holder: String
    private let operations = AsyncMutex()
    private let state = Locked(State())

    init(
        to name: RowName,
        in pool: PostgresConnectionPool,
        holder: String,
        configuration: PostgresConfiguration,
        lockLimit: Duration
    ) {
        self.name = name
        self.pool = pool
        self.holder = holder
        self.configuration = configuration
        self.lockLimit = lockLimit
    }

    /// Waits for the lock.
    ///
    /// If another store has marked the row but does not hold the lock, it may have lost its connection, for example because the
    /// database was restarted. It then has a moment to store its response.
    func acquire() async throws(PostgresFailure) {
        let end = ContinuousClock.now + lockLimit
        var seen: (revision: String?, until: ContinuousClock.Instant)?
        while true {
            let connection = try await pool.connection()
            let start = ContinuousClock.now
            let row = try await lock(with: connection, within: max(.milliseconds(1), end - start), isCancellable: true)
            // After a wait, the other store has only just lost the lock.
            let hasWaited = ContinuousClock.now - start > Self.retryPause
            if seen?.revision != row.revision || hasWaited { seen = (row.revision, min(end, .now + Self.pendingLimit)) }
            guard let pending = row.pending, pending != holder, let seen, ContinuousClock.now < seen.until else {
                return state.withLock { state in
                    (state.connection, state.value, state.revision) = (connection, row.value, row.revision)
                }
            }
            try await unlock(connection)
            do { try await Task.sleep(for: Self.retryPause) } catch { throw .cancelled }
        }
    }

    /// Ends the access. If the statement fails, the server releases the locks when it detects that the connection is closed.
    func release() async {
        await operations.withLockIgnoringCancellation { [self] in
            // A task that outlives the access must not use its connection, which others may use then.
            let (held, revision, isMarked) = state.withLock { state in
                defer { (state.connection, state.isLost) = (nil, true) }
                return (state.connection, state.revision, state.isMarked)
            }
            guard let held, held.isUsable else { return }
            do throws(PostgresFailure) {
                if isMarked, let revision {
                    let unmarked = try await run(statements.unmark, name.values + [.text(revision)], with: held)
                    if !unmarked.isEmpty { try await run("COMMIT", with: held) }
                }
                try await unlock(held)
            } catch {
                // The connection is closed, and the server ends the access.
            }
        }
    }

    /// `true` if the access has ended: it was released, or another process has changed the row meanwhile.
    var isLost: Bool { state.withLock { $0.isLost } }

    /// Returns the value of the row when it was locked or last written by this access; `nil` if there is no row.
    func load() async throws -> Data? {
        try await operations.withLockIgnoringCancellation { [self] in
            _ = try await heldConnection()
            return try state.withLock { $0.value }.get()
        }
    }

    /// Writes a value, or removes the row. The change is committed when this returns.
    func write(_ value: Data?) async throws {
        try await operations.withLockIgnoringCancellation { [self] in
            let connection = try await heldConnection()
            do throws(PostgresFailure) {
                try await write(value, with: connection)
            } catch {
                if connection.isInFailedTransaction {
                    // Nothing was written. The row is locked again at once.
                    state.withLock { $0.unconfirmed = nil }
                    _ = try? await run("ROLLBACK AND CHAIN; \(settings(within: Self.relockLimit))", with: connection)
                    _ = try? await lockRow(with: connection, within: Self.relockLimit, isCancellable: false)
                }
                throw error
            }
        }
    }

    private func write(
        _ value: Data?,
        with connection: PostgresConnection
    ) async throws(PostgresFailure) {
        let old = state.withLock { $0.revision }
        let new = value.map { _ in UUID().uuidString }
        if value == nil, old == nil { return }
        state.withLock { $0.unconfirmed = (new, value) }
        let revision: [PostgresConnection.Value] = [.text(old ?? "")]
        let changed: [PostgresConnection.Row]
        if let value, let new {
            let values: [PostgresConnection.Value] = [.bytes(value), .text(new), .text(holder)]
            changed = try await run(statements.update, name.values + revision + values, with: connection)
        } else {
            changed = try await run(statements.delete, name.values + revision, with: connection)
        }
        guard !changed.isEmpty else { throw lose() }
        try await run("COMMIT AND CHAIN; \(settings(within: Self.relockLimit))", with: connection)
        state.withLock { state in
            (state.revision, state.value, state.unconfirmed, state.isMarked) = (new, .success(value), nil, new != nil)
        }
        // If only the lock cannot be acquired again, the write has succeeded nevertheless. The next one will acquire it.
        _ = try? await lockRow(with: connection, within: Self.relockLimit, isCancellable: false)
    }

    /// Returns the connection that holds the lock, or acquires it again with another one if the row is unchanged.
    private func heldConnection() async throws(PostgresFailure) -> PostgresConnection {
        if isLost { throw .accessLost }
        if let held = state.withLock({ $0.connection }), held.isInTransaction { return held }
        // Closes the connection. Otherwise its session could keep the lock that the next one waits for.
        state.withLock { $0.connection = nil }
        let connection = try await pool.connection(isCancellable: false)
        let row = try await lock(with: connection, within: min(lockLimit, Self.relockLimit), isCancellable: false)
        let isUnchanged = state.withLock { state in
            if let unconfirmed = state.unconfirmed, row.revision == unconfirmed.revision {
                (state.revision, state.value) = (unconfirmed.revision, .success(unconfirmed.value))
                state.isMarked = unconfirmed.revision != nil
            }
            state.unconfirmed = nil
            return row.revision == state.revision
        }
        guard isUnchanged else {
            try? await unlock(connection)
            throw lose()
        }
        state.withLock { $0.connection = connection }
        return connection
    }

    private func lose() -> PostgresFailure {
        state.withLock { $0.isLost = true }
        return .accessLost
    }

    // MARK: Statements

    private typealias Row = (value: Result<Data?, PostgresFailure>, revision: String?, pending: String?)

    /// Begins a transaction and locks the row.
    private func lock(
        with connection: PostgresConnection,
        within limit: Duration,
        isCancellable: Bool
    ) async throws(PostgresFailure) -> Row {
        try await begin(with: connection, within: limit, isCancellable: isCancellable)
        return try await lockRow(with: connection, within: limit, isCancellable: isCancellable)
    }

    /// Locks the row, or inserts it without a value, in a transaction with the settings for this limit.
    private func lockRow(
        with connection: PostgresConnection,
        within limit: Duration,
        isCancellable: Bool
    ) async throws(PostgresFailure) -> Row {
        let end = ContinuousClock.now + limit
        while true {
            let rest = max(.zero, end - .now) + configuration.statementLimit + .seconds(1)
            let limits: [PostgresConnection.Value] = [
                .text(configuration.statementLimit.milliseconds), .text(configuration.holdLimit.milliseconds),
            ]
            let rows = try await connection.run(
                statements.lock,
                name.valuesWithMaximum + limits + [.text(holder), .text(Self.pendingLimit.milliseconds)],
                within: rest,
                isCancellable: isCancellable
            )
            if let row = rows.first { return (name.value(in: row), Self.text(2, of: row), Self.text(3, of: row)) }
            let inserted = try await connection.run(
                statements.insert,
                name.values + limits,
                within: rest,
                isCancellable: isCancellable
            )
            if !inserted.isEmpty { return (.success(nil), nil, nil) }
            // Another process has inserted the row meanwhile, and may have removed it again.
            if ContinuousClock.now > end { throw .timedOut(limit) }
        }
    }

    private static func text(_ column: Int, of row: PostgresConnection.Row) -> String? {
        row[column].flatMap { $0.isEmpty ? nil : String(decoding: $0, as: UTF8.self) }
    }

    private func begin(
        with connection: PostgresConnection,
        within limit: Duration,
        isCancellable: Bool
    ) async throws(PostgresFailure) {
        do throws(PostgresFailure) {
            // PgBouncer lets the first statement wait for a free connection.
            try await connection.run(
                "BEGIN ISOLATION LEVEL READ COMMITTED; \(settings(within: limit))",
                within: max(limit, configuration.statementLimit) + .seconds(1),
                isCancellable: isCancellable
            )
        } catch {
            guard case .server(let code, _) = error, ["22023", "42704"].contains(code), pool.watchesClient else {
                throw error
            }
            pool.watchesClient = false
            try await run("ROLLBACK", with: connection)
            try await begin(with: connection, within: limit, isCancellable: isCancellable)
        }
    }

    /// Returns statements with the settings of a transaction until it has the lock.
    ///
    /// - Parameter limit: The maximum time to wait for the lock.
    private func settings(within limit: Duration) -> String {
        let limits = [
            ("lock_timeout", limit), ("statement_timeout", limit + configuration.statementLimit),
            ("idle_in_transaction_session_timeout", Self.pendingLimit),
        ]
        // Lets the server notice within a second that the process has ended, even while it waits for the lock.
        let watch = pool.watchesClient ? ["SET LOCAL client_connection_check_interval = 1000"] : []
        // Writes are durable when they are reported, even if the database's default is otherwise.
        let durability = """
            SELECT set_config('synchronous_commit',
                CASE current_setting('synchronous_commit') WHEN 'off' THEN 'on' ELSE current_setting('synchronous_commit') END, true)
            """
        return (limits.map { "SET LOCAL \($0) = \($1.milliseconds)" } + watch + [durability]).joined(separator: "; ")
    }

    /// Ends the transaction, which has changed nothing, and releases the lock.
    private func unlock(_ connection: PostgresConnection) async throws(PostgresFailure) {
        if connection.isInTransaction || connection.isInFailedTransaction {
            try await run("ROLLBACK", with: connection)
        }
        pool.recycle(connection)
    }

    /// Runs a statement, even in a task that has been cancelled: the task may still need to store a response of the server.
    @discardableResult
    private func run(
        _ statement: String,
        _ values: [PostgresConnection.Value] = [],
        with connection: PostgresConnection
    ) async throws(PostgresFailure) -> [PostgresConnection.Row] {
        // The server's own limit comes first, because its error is more specific.
        let limit = configuration.statementLimit + .seconds(1)
        return try await connection.run(statement, values, within: limit, isCancellable: false)
    }

    private var statements: RowStatements { RowStatements(configuration) }
}

#endif
