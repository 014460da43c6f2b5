import NIOConcurrencyHelpers
import NIOCore
import SallyportTransport

/// The connections of an engine, and the exchanges that wait for a connection.
///
/// ``PoolState`` decides which connection runs which exchange; the pool performs its actions.
final class ConnectionPool: ConnectionOwner, ExchangeQueue, Sendable {
    typealias State = PoolState<Origin, any Connection, Exchange>

    fileprivate struct Shared: Sendable {
        var state: State
        var attempts = ConnectionAttempts()
        var isClosed = false
        /// The origins whose servers require HTTP/1.1 although they speak HTTP/2. Their number is limited.
        var http1Origins: Set<Origin> = []
        var nextSweep = NIODeadline.distantFuture
        var drained: [CheckedContinuation<Void, Never>] = []
    }

    private let configuration: TransportConfiguration
    private let connector: Connector
    private let loops: EventLoops
    private let shared: NIOLockedValueBox<Shared>

    init(_ configuration: TransportConfiguration, loops: EventLoops) {
        self.configuration = configuration
        self.loops = loops
        connector = Connector(configuration)
        let limits = configuration.connections
        let versions = configuration.httpVersions
        let state = State(perHost: limits.perHost, total: limits.total) { origin in
            WireProtocol.isHTTP2Likely(on: origin, under: versions)
        }
        shared = NIOLockedValueBox(Shared(state: state))
    }

    /// The number of connections that are open or being opened.
    var connectionCount: Int { shared.withLockedValue { $0.state.count } }

    // MARK: Exchanges

    func submit(_ exchange: Exchange) {
        let eventLoop = EventLoops.current
        let assignment = shared.withLockedValue { shared -> State.Assignment? in
            guard !shared.state.isDraining else { return nil }
            return shared.state.submit(exchange, to: exchange.request.origin, preferring: eventLoop)
        }
        perform(assignment, for: exchange)
    }

    func startOver(_ exchange: Exchange, isDead: Bool) {
        let origin = exchange.request.origin
        let assignment = shared.withLockedValue { shared -> State.Assignment? in
            guard !shared.isClosed else { return nil }
            return isDead ? shared.state.submitAgain(exchange, to: origin) : shared.state.submit(exchange, to: origin)
        }
        perform(assignment, for: exchange)
    }

    private func perform(_ assignment: State.Assignment?, for exchange: Exchange) {
        switch assignment {
        case nil: exchange.fail(.closed)
        case .run(let connection): connection.run(exchange)
        case .queued(let actions):
            reportWaiting(1, for: exchange)
            perform(actions)
            scheduleSweep(by: exchange.waitingDeadline)
            if !exchange.wait(in: self) { giveUp(exchange) }
        }
    }

    func giveUp(_ exchange: Exchange) {
        let origin = exchange.request.origin
        var hasWaited = false
        let (attempt, actions) = shared.withLockedValue { shared -> (ConnectionAttempt?, [State.Action]) in
            let hasTooMany = shared.state.giveUp(to: origin) { waiter in
                if waiter === exchange { hasWaited = true }
                return waiter === exchange
            }
            guard hasTooMany, let attempt = shared.attempts.remove(for: exchange) else { return (nil, []) }
            return (attempt, shared.state.attemptWithdrawn(to: origin))
        }
        if hasWaited { reportWaiting(-1, for: exchange) }
        attempt?.cancel()
        perform(actions)
        resumeIfDrained()
    }

    // MARK: Connections

    func connectionIsFree(_ connection: any Connection) {
        perform(shared.withLockedValue { $0.state.freed(connection.poolEntry) })
    }

    func connection(_ connection: any Connection, changedCapacityTo capacity: Int) {
        perform(shared.withLockedValue { $0.state.resized(connection.poolEntry, capacity: capacity) })
    }

    func connectionRetired(_ connection: any Connection) {
        perform(shared.withLockedValue { $0.state.retired(connection.poolEntry) })
    }

    func connectionRequiresHTTP1(_ connection: any Connection) -> Bool {
        guard configuration.httpVersions == .automatic else { return false }
        shared.withLockedValue { shared in
            if shared.http1Origins.count >= 1_000 { shared.http1Origins = [] }
            shared.http1Origins.insert(connection.origin)
        }
        return true
    }

    func connectionMayClose(_ connection: any Connection) -> Bool {
        shared.withLockedValue { $0.state.takeIdle(connection.poolEntry) }
    }

    func connectionClosed(_ connection: any Connection) {
        perform(shared.withLockedValue { $0.state.closed(connection.poolEntry) })
        resumeIfDrained()
    }

    private func open(_ origin: Origin, for exchange: Exchange) {
        let (others, requiresHTTP1) = shared.withLockedValue { shared in
            (shared.state.running + shared.attempts.count, shared.http1Origins.contains(origin))
        }
        let loop = loops.loop(with: others)
        let attempt = ConnectionAttempt(to: origin, for: exchange, on: loop, owner: self, requiresHTTP1: requiresHTTP1)
        let isClosed = shared.withLockedValue { shared in
            if shared.isClosed {
                _ = shared.state.attemptWithdrawn(to: origin)
            } else {
                shared.attempts.add(attempt)
            }
            return shared.isClosed
        }
        if isClosed { return resumeIfDrained() }
        exchange.reach(.resolve)
        connector.open(attempt).whenComplete { outcome in
            self.finish(
                attempt,
                outcome.mapError { NetworkError(wrapping: $0, reason: "no connection to \(origin.host)") }
            )
        }
    }

    private func finish(_ attempt: ConnectionAttempt, _ outcome: Result<any Connection, NetworkError>) {
        let (failed, actions) = shared.withLockedValue { shared -> (Exchange?, [State.Action]) in
            let isWanted = shared.attempts.remove(attempt)
            switch outcome {
            case .success(let connection) where isWanted:
                let actions = shared.state.opened(
                    connection,
                    as: connection.poolEntry,
                    to: attempt.origin,
                    isShared: connection.isShared,
                    capacity: connection.capacity
                )
                return (nil, actions)
            case .success(let connection): return (nil, [.close(connection)])
            case .failure where isWanted:
                return shared.state.openingFailed(to: attempt.origin) { $0 === attempt.exchange }
            case .failure: return (nil, [])
            }
        }
        if let failed { reportWaiting(-1, for: failed) }
        perform(actions)
        switch outcome {
        case .failure(let error): failed?.fail(error)
        // The connection may have closed before it was added to the pool.
        case .success(let connection): if !connection.isOpen { return connectionClosed(connection) }
        }
        resumeIfDrained()
    }

    /// Performs actions. Every exchange that they run was queued before.
    private func perform(_ actions: [State.Action]) {
        for action in actions {
            switch action {
            case .run(let exchange, let connection):
                reportWaiting(-1, for: exchange)
                connection.run(exchange)
            case .open(let origin, let exchange): open(origin, for: exchange)
            case .close(let connection): connection.close(failing: .idle)
            }
        }
    }

    /// Reports a change of the number of waiting exchanges to the observer.
    private func reportWaiting(_ change: Int, for exchange: Exchange) {
        guard let observer = configuration.observer else { return }
        observer.waitingExchanges(changedBy: change, for: ServerOrigin(exchange.request.origin))
    }

    // MARK: Deadlines of waiting exchanges

    /// Schedules a sweep, unless there will be an earlier one.
    private func scheduleSweep(by deadline: NIODeadline) {
        let isEarliest = shared.withLockedValue { shared in
            guard deadline < shared.nextSweep else { return false }
            shared.nextSweep = deadline
            return true
        }
        guard isEarliest else { return }
        loops.first.scheduleTask(deadline: deadline) { [weak self] in self?.sweep(at: deadline) }
    }

    /// Fails the exchanges whose deadlines have passed, and schedules the next sweep.
    private func sweep(at deadline: NIODeadline) {
        let now = NIODeadline.now()
        let (expired, next) = shared.withLockedValue { shared -> ([Exchange], NIODeadline) in
            // An earlier sweep was scheduled after this one, and has scheduled its own successor.
            guard shared.nextSweep == deadline else { return ([], .distantFuture) }
            shared.nextSweep = .distantFuture
            let expired = shared.state.removeWaiting { $0.sweepDeadline <= now || $0.isEnded }
            return (expired, shared.state.waiting.lazy.map(\.sweepDeadline).min() ?? .distantFuture)
        }
        for exchange in expired {
            reportWaiting(-1, for: exchange)
            exchange.fail(exchange.timeoutWhileWaiting(at: now))
        }
        if next < .distantFuture { scheduleSweep(by: max(next, now + .milliseconds(1))) }
    }

    // MARK: Closing

    /// Fails all exchanges and closes all connections.
    func close() {
        let (waiting, members, attempts) = shared.withLockedValue { shared in
            shared.isClosed = true
            _ = shared.state.drain()
            let waiting = shared.state.removeWaiting { _ in true }
            let attempts = shared.attempts.removeAll()
            for attempt in attempts { _ = shared.state.attemptWithdrawn(to: attempt.origin) }
            return (waiting, shared.state.members, attempts)
        }
        for exchange in waiting {
            reportWaiting(-1, for: exchange)
            exchange.fail(.closed)
        }
        for attempt in attempts { attempt.cancel() }
        for member in members { member.close(failing: .clientClosed) }
        resumeIfDrained()
    }

    /// Refuses new exchanges, and closes all connections when the running exchanges have ended, or after `grace`.
    func shutdown(grace: Duration) async {
        let idle = shared.withLockedValue { $0.state.drain() }
        for member in idle { member.close(failing: .idle) }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.waitUntilDrained() }
            group.addTask {
                // The sleep also ends if the caller cancels, or if all connections have been drained.
                try? await Task.sleep(for: grace)
                self.close()
            }
            await group.next()
            group.cancelAll()
        }
    }

    private func waitUntilDrained() async {
        await withCheckedContinuation { continuation in
            shared.withLockedValue { $0.drained.append(continuation) }
            resumeIfDrained()
        }
    }

    private func resumeIfDrained() {
        let continuations = shared.withLockedValue { shared -> [CheckedContinuation<Void, Never>] in
            guard shared.state.isDraining, shared.state.isEmpty else { return [] }
            defer { shared.drained = [] }
            return shared.drained
        }
        for continuation in continuations { continuation.resume() }
    }
}
