#if PostgreSQL && os(Linux)

import Foundation
import SallyportStorage

/// Exclusive access to a row, from ``acquire()`` to ``release()``.
///
/// The access is a transaction in which the row is locked (`SELECT … FOR UPDATE`). A write is committed at once, and the row is
/// locked again in the transaction that follows (`COMMIT AND CHAIN`). A session-level advisory lock excludes others between the
/// two. If the process is stopped, the server ends its idle transaction, and with the connection both locks.
///
/// Each write has a new revision, and replaces only the revision that this access has seen last. An access that has lost its
/// connection therefore continues with another one if the row is unchanged, and fails otherwise. The revision also tells whether
/// a write was committed whose confirmation was lost.
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
        /// `true` if the stored record is pending, and no later write has failed.
        var isPending = false
        var isLost = false
    }

    /// The maximum time to wait for the lock with another connection after one was lost, because callers wait for the access. The
    /// lock is held by another process, which is going to change the row, or by the lost connection until
    /// ``PostgresConfiguration/holdLimit``.
    private static let relockLimit: Duration = .seconds(5)

    /// The maximum time for which ``acquire()`` leaves a row to another store that has marked it as pending.
    ///
    /// A file store has no such time: the system releases the lock of a file when its process has ended. The database also releases the lock
    /// when the connection is lost, while the process still waits for the response.
    private static let pendingLimit: Duration = .seconds(2)

    private let name: RowName
    private let pool: PostgresConnectionPool
    private let statementLimit: Duration
    private let lockLimit: Duration
    /// Identifies the store, so that it does not wait for itself.
    private let holder: String
    private let operations = AsyncMutex()
    private let state = Locked(State())

    init(
        to name: RowName,
        in pool: PostgresConnectionPool,
        holder: String,
        statementLimit: Duration,
        lockLimit: Duration
    ) {
        self.name = name
        self.pool = pool
        self.holder = holder
        self.statementLimit = statementLimit
        self.lockLimit = lockLimit
    }

    /// Waits for the lock.
    ///
    /// If another store waits for a response but does not hold the lock, it may have lost its connection, for example because the
    /// database was restarted. It then has a moment to store the response.
    func acquire() async throws(PostgresFailure) {
        let end = ContinuousClock.now + lockLimit
        var seen: (revision: String?, until: ContinuousClock.Instant)?
        while true {
            let connection = try await pool.connection()
            let rest = max(.milliseconds(1), end - .now)
            let row = try await lock(with: connection, within: rest, isCancellable: true)
            if seen?.revision != row.revision { seen = (row.revision, min(end, .now + Self.pendingLimit)) }
            guard let pending = row.pending, pending != holder, let seen, ContinuousClock.now < seen.until else {
                return state.withLock { state in
                    (state.connection, state.value, state.revision) = (connection, row.value, row.revision)
                }
            }
            try await unlock(connection)
            do { try await Task.sleep(for: .milliseconds(100)) } catch { throw .cancelled }
        }
    }

    /// Ends the access. If the statement fails, the server releases the locks when it detects that the connection is closed.
    func release() async {
        await operations.withLockIgnoringCancellation { [self] in
            // A task that outlives the access must not use its connection, which others may use then.
            let (held, isPending) = state.withLock { state in
                defer { (state.connection, state.isLost) = (nil, true) }
                return (state.connection, state.isPending)
            }
            guard let held, held.isUsable else { return }
            do throws(PostgresFailure) {
                // The response did not arrive, so others need not wait for it.
                if isPending { try await run(Self.settleStatement, name.values, with: held) }
                try await unlock(held)
            } catch {
                // The connection is closed, and the server ends the access.
            }
        }
    }

    /// A Boolean value that indicates whether the access has ended: it was released, or another process has changed the row meanwhile.
    var isLost: Bool { state.withLock { $0.isLost } }

    /// Returns the value of the row when it was locked or last written by this access; `nil` if there is no row.
    func load() async throws -> Data? {
        try await operations.withLockIgnoringCancellation { [self] in
            _ = try await heldConnection()
            return try state.withLock { $0.value }.get()
        }
    }

    /// Writes a value, or removes the row. The change is committed when this returns.
    ///
    /// - Parameter isPending: `true` if this store waits for a response with which it replaces the value.
    func write(_ value: Data?, isPending: Bool) async throws {
        try await operations.withLockIgnoringCancellation { [self] in
            let connection = try await heldConnection()
            do throws(PostgresFailure) {
                try await write(value, isPending: isPending, with: connection)
            } catch {
                if connection.isInFailedTransaction {
                    // Nothing was written. The advisory lock is still held.
                    state.withLock { $0.unconfirmed = nil }
                    _ = try? await run("ROLLBACK AND CHAIN", with: connection)
                    _ = try? await select(with: connection)
                }
                throw error
            }
        }
    }

    private func write(
        _ value: Data?,
        isPending: Bool,
        with connection: PostgresConnection
    ) async throws(PostgresFailure) {
        let old = state.withLock { $0.revision }
        let new = value.map { _ in UUID().uuidString }
        state.withLock { ($0.unconfirmed, $0.isPending) = ((new, value), false) }
        let changed: [PostgresConnection.Row]
        switch (value, new, old) {
        case (let value?, let new?, let old?):
            let values: [PostgresConnection.Value] = [
                .bytes(value), .text(new), .text(isPending ? holder : ""), .text(old),
            ]
            changed = try await run(Self.updateStatement, name.values + values, with: connection)
        case (let value?, let new?, nil):
            let values: [PostgresConnection.Value] = [.bytes(value), .text(new), .text(isPending ? holder : "")]
            changed = try await run(Self.insertStatement, name.values + values, with: connection)
        case (_, _, let old?):
            changed = try await run(Self.deleteStatement, name.values + [.text(old)], with: connection)
        case (_, _, nil): return state.withLock { $0.unconfirmed = nil }
        }
        guard !changed.isEmpty else { throw lose() }
        try await run("COMMIT AND CHAIN", with: connection)
        state.withLock { state in
            (state.revision, state.value, state.unconfirmed, state.isPending) = (new, .success(value), nil, isPending)
        }
        // If only the lock cannot be acquired again, the write has succeeded nevertheless. The next one will acquire it.
        _ = try? await select(with: connection)
    }

    /// Returns the connection that holds the locks, or acquires them again with another one if the row is unchanged.
    private func heldConnection() async throws(PostgresFailure) -> PostgresConnection {
        if isLost { throw .accessLost }
        if let held = state.withLock({ $0.connection }), held.isInTransaction { return held }
        // Closes the connection. Otherwise its session could keep the locks that the next one waits for.
        state.withLock { $0.connection = nil }
        let connection = try await pool.connection(isCancellable: false)
        let row = try await lock(with: connection, within: min(lockLimit, Self.relockLimit), isCancellable: false)
        let isUnchanged = state.withLock { state in
            if let unconfirmed = state.unconfirmed, row.revision == unconfirmed.revision {
                (state.revision, state.value) = (unconfirmed.revision, .success(unconfirmed.value))
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

    /// Begins a transaction and locks the row. The statement that waits for the lock has no limit but that of the lock, and sets the limit of
    /// those that follow.
    private func lock(
        with connection: PostgresConnection,
        within limit: Duration,
        isCancellable: Bool
    ) async throws(PostgresFailure) -> Row {
        try await run("BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL statement_timeout = 0", with: connection)
        try await connection.run(
            Self.lockStatement,
            name.values + [.text(limit.milliseconds), .text(statementLimit.milliseconds)],
            within: limit + .seconds(1),
            isCancellable: isCancellable
        )
        return try await select(with: connection)
    }

    /// Ends the transaction and releases both locks. The row comes first, so that the next holder of the advisory lock does not wait for it.
    private func unlock(_ connection: PostgresConnection) async throws(PostgresFailure) {
        try await run("COMMIT; SELECT pg_advisory_unlock_all()", with: connection)
        pool.recycle(connection)
    }

    private func select(with connection: PostgresConnection) async throws(PostgresFailure) -> Row {
        guard let row = try await run(Self.selectStatement, name.valuesWithMaximum, with: connection).first else {
            return (.success(nil), nil, nil)
        }
        func text(_ column: Int) -> String? {
            row[column].flatMap { $0.isEmpty ? nil : String(decoding: $0, as: UTF8.self) }
        }
        return (name.value(in: row), text(2), text(3))
    }

    @discardableResult
    private func run(
        _ statement: String,
        _ values: [PostgresConnection.Value] = [],
        with connection: PostgresConnection
    ) async throws(PostgresFailure) -> [PostgresConnection.Row] {
        // Also in a task that has been cancelled: a response of the server may have to be stored. The server's own limit comes first,
        // because its error is more specific.
        try await connection.run(statement, values, within: statementLimit + .seconds(1), isCancellable: false)
    }

    private static let lockStatement = """
        SELECT set_config('lock_timeout', $3, true), set_config('statement_timeout', $4, true),
            pg_advisory_lock(hashtextextended(current_schema() || ' ' || $1 || ' ' || $2, 1))
        """
    private static let selectStatement =
        "SELECT \(RowName.valueColumns), revision, pending FROM records WHERE format = $1 AND name = $2 FOR UPDATE"
    private static let updateStatement = """
        UPDATE records SET value = $3, revision = $4, pending = $5, updated = now()
        WHERE format = $1 AND name = $2 AND revision = $6 RETURNING revision
        """
    private static let insertStatement = """
        INSERT INTO records (format, name, value, revision, pending) VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT DO NOTHING RETURNING revision
        """
    private static let settleStatement = "UPDATE records SET pending = '' WHERE format = $1 AND name = $2"
    private static let deleteStatement =
        "DELETE FROM records WHERE format = $1 AND name = $2 AND revision = $3 RETURNING revision"
}

#endif
