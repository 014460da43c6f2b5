#if PostgreSQL && os(Linux)

import Dispatch
import SallyportStorage

/// The connections of a database: a limited number, which are reused for a short time.
///
/// If a connection cannot be opened, the next attempt follows after a pause, which grows with each failure. One attempt at a time serves all
/// waiting tasks. This protects a database that is down or has no free connection.
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
        var watchesClient = true
        var attempts = ConnectionAttempts()
    }

    private let settings: ConnectionSettings
    private let configuration: PostgresConfiguration
    private let slots: AsyncMutex
    /// The slots of tasks that have one of ``slots``.
    private let nestedSlots: AsyncMutex
    /// Held while a connection is opened after a failure.
    private let reopening = AsyncMutex()
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
            "all \(configuration.maximumConnections) connections of this process were in use for \(configuration.poolLimit); "
                + "raise maximumConnections"
        )
        return try await slots.withLock(within: configuration.poolLimit, orThrow: problem) {
            try await ExclusiveAccess.hold(for: slots, body)
        }
    }

    /// `true` unless the server has refused the setting with which it notices that a process has ended. Servers on some systems do.
    var watchesClient: Bool {
        get { state.withLock { $0.watchesClient } }
        set { state.withLock { $0.watchesClient = newValue } }
    }

    /// Returns an unused connection, or a new one to the first host that accepts writes.
    ///
    /// - Parameters:
    ///   - acceptsReplica: `true` to return a connection to a host that accepts no writes if there is no other one.
    ///   - isCancellable: `false` to connect even in a task that has been cancelled.
    func connection(
        acceptsReplica: Bool = false,
        isCancellable: Bool = true
    ) async throws(PostgresFailure) -> PostgresConnection {
        while let idle = state.withLock({ $0.idle.popLast() }) {
            if idle.connection.isUsable { return idle.connection }
        }
        let began = ContinuousClock.now
        if state.withLock({ $0.attempts.failures }) == 0 || !isCancellable {
            do throws(PostgresFailure) {
                return try await attempt(acceptsReplica, isCancellable)
            } catch {
                guard error.isShortage, isCancellable else { throw error }
            }
        }
        let problem = state.withLock { $0.attempts.summary(of: configuration.poolLimit) }
        do {
            return try await reopening.withLock(within: configuration.poolLimit, orThrow: problem) { [self] in
                try await reopen(acceptsReplica, since: began)
            }
        } catch let failure as PostgresFailure {
            throw failure
        } catch {
            throw .cancelled
        }
    }

    /// Opens a connection after the pause that follows a failure. If the database has no free connection, this is repeated until
    /// ``PostgresConfiguration/poolLimit``.
    private func reopen(
        _ acceptsReplica: Bool,
        since began: ContinuousClock.Instant
    ) async throws -> PostgresConnection {
        while true {
            let attempts = state.withLock { $0.attempts }
            // The task has waited for the attempt of another one.
            if let failure = attempts.failure(after: began), !failure.isShortage { throw failure }
            try await Task.sleep(until: attempts.next, clock: .continuous)
            do throws(PostgresFailure) {
                return try await attempt(acceptsReplica, true)
            } catch {
                guard error.isShortage, ContinuousClock.now < began + configuration.poolLimit else { throw error }
            }
        }
    }

    private func attempt(
        _ acceptsReplica: Bool,
        _ isCancellable: Bool
    ) async throws(PostgresFailure) -> PostgresConnection {
        do throws(PostgresFailure) {
            let connection = try await openFirst(acceptsReplica, isCancellable)
            state.withLock { $0.attempts = ConnectionAttempts() }
            return connection
        } catch {
            switch error {
            // A replica can still be read.
            case .cancelled, .readOnly: throw error
            default: break
            }
            state.withLock { $0.attempts.fail(error) }
            throw error
        }
    }

    private func openFirst(
        _ acceptsReplica: Bool,
        _ isCancellable: Bool
    ) async throws(PostgresFailure) -> PostgresConnection {
        var failures: [PostgresFailure] = []
        var replica: PostgresConnection?
        for host in settings.hosts {
            do throws(PostgresFailure) {
                let connection = try await open(host, isCancellable)
                guard host["target_session_attrs"] == nil, connection.isReadOnly else { return connection }
                replica = replica ?? connection
                failures.append(.readOnly("\(host["host"] ?? "the server") is a replica or accepts no writes"))
            } catch {
                if case .cancelled = error { throw error }
                failures.append(error)
            }
        }
        if acceptsReplica, let replica { return replica }
        // A host that can be reached explains more than one that cannot.
        let reached = failures.first { failure in
            switch failure {
            case .server, .configuration: true
            default: false
            }
        }
        let readOnly = failures.first { if case .readOnly = $0 { true } else { false } }
        throw reached ?? readOnly ?? failures.first ?? .lost("the URL has no host")
    }

    /// Keeps a connection for later use. Closes it if it is unusable or read-only.
    func recycle(_ connection: PostgresConnection) {
        guard connection.isIdle, !connection.isReadOnly else { return }
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
        try await PostgresConnection.open(
            host,
            secrets: settings.secrets,
            within: configuration.connectLimit,
            isCancellable: isCancellable
        )
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

/// The failed attempts to open a connection since the last success.
private struct ConnectionAttempts: Sendable {
    private(set) var failures = 0
    /// The time of the next attempt.
    private(set) var next = ContinuousClock.now
    private var last: (time: ContinuousClock.Instant, failure: PostgresFailure)?

    private static let longestPause: Duration = .seconds(2)

    /// Counts a failure. The pause after it is random, so that the processes of a fleet do not come together.
    mutating func fail(_ failure: PostgresFailure) {
        failures += 1
        last = (.now, failure)
        let pause = min(Self.longestPause, .milliseconds(50) * (1 << min(failures, 6)))
        next = .now + pause * Double.random(in: 0.5...1)
    }

    /// Returns the failure of a task that has waited for the attempts of others.
    func summary(of limit: Duration) -> PostgresFailure {
        let cause = if case .server(_, let message) = last?.failure { ": \(message)" } else { "" }
        let advice = "raise max_connections of the database, or use PgBouncer"
        return .busy("no connection could be opened for \(limit)\(cause); \(advice)")
    }

    /// Returns the last failure if it happened after a time.
    func failure(after time: ContinuousClock.Instant) -> PostgresFailure? {
        last.flatMap { $0.time > time ? $0.failure : nil }
    }
}

extension Duration {
    /// The number of milliseconds, as a setting of PostgreSQL.
    var milliseconds: String { "\(max(1, Int64(self / .milliseconds(1))))" }
}

#endif
