#if PostgreSQL && os(Linux)

import Dispatch
import SallyportStorage

/// The connections of a database: a limited number, which are reused.
///
/// A task with exclusive access to a row may read or lock another row, so it can need a second connection. If it waited for one of
/// ``PostgresConfiguration/maximumConnections``, all of these could be in use by tasks that wait. There are as many again for this, and no
/// task uses more than one of them.
final class PostgresConnectionPool: Sendable {
    private struct Idle: Sendable {
        let connection: PostgresConnection
        let since: ContinuousClock.Instant
    }

    private struct State: Sendable {
        var idle: [Idle] = []
        var isClosingScheduled = false
    }

    private let settings: ConnectionSettings
    private let configuration: PostgresConfiguration
    private let slots: AsyncMutex
    /// The slots of tasks that have one of ``slots``.
    private let nestedSlots: AsyncMutex
    private let state = Locked(State())

    init(_ settings: ConnectionSettings, _ configuration: PostgresConfiguration) {
        self.settings = settings
        self.configuration = configuration
        slots = AsyncMutex(holders: configuration.maximumConnections)
        nestedSlots = AsyncMutex(holders: configuration.maximumConnections)
    }

    /// Calls a closure that may use one connection at a time. The closure may call this method, but a third
    /// call within that one is refused.
    ///
    /// A closure that waits for a task without a connection, such as the refresh of a session that another task has begun, can wait until
    /// ``PostgresFailure/busy(_:)`` if all connections are in use.
    ///
    /// - Throws: The error of the closure; ``PostgresFailure/busy(_:)`` if all connections are in use for too long;
    ///   ``PostgresFailure/configuration(_:)`` for a third call.
    func withSlot<Result: Sendable>(_ body: @Sendable () async throws -> Result) async throws -> Result {
        guard !ExclusiveAccess.isHeld(by: nestedSlots) else {
            throw PostgresFailure.configuration(
                "the task already has exclusive access to two rows; end one of these accesses first"
            )
        }
        let slots = ExclusiveAccess.isHeld(by: self.slots) ? nestedSlots : self.slots
        let problem = PostgresFailure.busy(
            "all \(configuration.maximumConnections) connections of this process were in use for \(configuration.poolLimit)"
        )
        return try await slots.withLock(within: configuration.poolLimit, orThrow: problem) {
            try await ExclusiveAccess.hold(for: slots, body)
        }
    }

    /// Returns an unused connection, or a new one to the first host that accepts writes.
    ///
    /// - Parameter isCancellable: `false` to connect also in a task that has been cancelled.
    func connection(isCancellable: Bool = true) async throws(PostgresFailure) -> PostgresConnection {
        while let idle = state.withLock({ $0.idle.popLast() }) {
            if idle.connection.isUsable { return idle.connection }
        }
        var failures: [PostgresFailure] = []
        for host in settings.hosts {
            do throws(PostgresFailure) {
                return try await open(host, isCancellable)
            } catch {
                if case .cancelled = error { throw error }
                failures.append(error)
            }
        }
        // A host that can be reached explains more than one that cannot.
        let reached = failures.first { failure in
            switch failure {
            case .server, .configuration: true
            default: false
            }
        }
        let replica = failures.first { if case .readOnly = $0 { true } else { false } }
        throw reached ?? replica ?? failures.first ?? .lost("the URL has no host")
    }

    /// Keeps a connection for later use, or closes it if it cannot be used.
    func recycle(_ connection: PostgresConnection) {
        guard connection.isIdle else { return }
        let isFirst = state.withLock { state in
            state.idle.append(Idle(connection: connection, since: .now))
            defer { state.isClosingScheduled = true }
            return !state.isClosingScheduled
        }
        if isFirst { scheduleClosing() }
    }

    /// Closes the unused connections.
    func closeIdle() { closeIdle(since: .now) }

    /// Closes the connections that have been unused since a time.
    private func closeIdle(since limit: ContinuousClock.Instant) {
        let closed = state.withLock { state in
            let closed = state.idle.filter { $0.since <= limit }
            state.idle.removeAll { $0.since <= limit }
            return closed
        }
        // They are closed with the last reference, after the lock is released.
        withExtendedLifetime(closed) {}
    }

    private func open(
        _ host: [String: String],
        _ isCancellable: Bool
    ) async throws(PostgresFailure) -> PostgresConnection {
        let limit = configuration.connectLimit
        let connection = try await PostgresConnection.open(
            host,
            secrets: settings.secrets,
            within: limit,
            isCancellable: isCancellable
        )
        if host["target_session_attrs"] == nil, connection.isReadOnly {
            throw .readOnly("\(host["host"] ?? "the server") is a replica or accepts no writes")
        }
        try await connection.run(Self.setUp, parameters, within: limit, isCancellable: isCancellable)
        do throws(PostgresFailure) {
            try await connection.run(Self.watchClient, within: limit, isCancellable: isCancellable)
        } catch {
            // Servers on some systems refuse the setting, and those before version 14 do not know it.
            guard case .server(let code, _) = error, ["22023", "42704"].contains(code) else { throw error }
        }
        return connection
    }

    /// Prepares a connection. Writes are durable when they are reported, even if the database's default is otherwise.
    private static let setUp = """
        SELECT set_config('search_path', $1, false), set_config('statement_timeout', $2, false),
            set_config('idle_in_transaction_session_timeout', $3, false), set_config('synchronous_commit',
                CASE current_setting('synchronous_commit') WHEN 'off' THEN 'on' ELSE current_setting('synchronous_commit') END,
                false)
        """

    /// Lets the server notice within a second that the process has ended, also while it waits for a lock.
    private static let watchClient = "SET client_connection_check_interval = 1000"

    private var parameters: [PostgresConnection.Value] {
        [
            .text(configuration.schema), .text(configuration.statementLimit.milliseconds),
            .text(configuration.holdLimit.milliseconds),
        ]
    }

    /// Closes connections that have been unused for the limit, and repeats this as long as there are any.
    private func scheduleClosing() {
        let limit = configuration.idleLimit
        DispatchQueue.global().asyncAfter(deadline: .now() + limit / .seconds(1)) { [weak self] in
            guard let self else { return }
            closeIdle(since: .now - limit)
            let isMore = state.withLock { state in
                state.isClosingScheduled = !state.idle.isEmpty
                return state.isClosingScheduled
            }
            if isMore { scheduleClosing() }
        }
    }
}

extension Duration {
    /// The number of milliseconds, as a setting of PostgreSQL.
    var milliseconds: String { "\(max(1, Int64(self / .milliseconds(1))))" }
}

#endif
