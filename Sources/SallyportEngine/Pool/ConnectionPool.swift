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
        var attempts: [ObjectIdentifier: ConnectionAttempt] = [:]
        var isClosed = false
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
        let here = loops.current
        let isHere = here.map { here in { (connection: any Connection) in connection.eventLoop === here } }
        let accepted = shared.withLockedValue { shared -> (actions: [State.Action], sweep: NIODeadline?)? in
            guard !shared.state.isDraining else { return nil }
            return shared.enqueue(exchange) { $0.submit(exchange, to: exchange.request.origin, preferring: isHere) }
        }
        perform(accepted, for: exchange)
    }

    func startOver(_ exchange: Exchange, isDead: Bool) {
        let accepted = shared.withLockedValue { shared -> (actions: [State.Action], sweep: NIODeadline?)? in
            guard !shared.isClosed else { return nil }
            return shared.enqueue(exchange) { state in
                let origin = exchange.request.origin
                return isDead ? state.submitAgain(exchange, to: origin) : state.submit(exchange, to: origin)
            }
        }
        perform(accepted, for: exchange)
    }

    private func perform(_ accepted: (actions: [State.Action], sweep: NIODeadline?)?, for exchange: Exchange) {
        guard let accepted else { return exchange.fail(.closed) }
        if case .run(let exchange, let connection)? = accepted.actions.first { return connection.run(exchange) }
        reportWaiting(1, for: exchange)
        perform(accepted.actions)
        if let sweep = accepted.sweep { scheduleSweep(at: sweep) }
        if !exchange.wait(in: self) { giveUp(exchange) }
    }

    func giveUp(_ exchange: Exchange) {
        let origin = exchange.request.origin
        var hasWaited = false
        let (attempt, actions) = shared.withLockedValue { shared -> (ConnectionAttempt?, [State.Action]) in
            let hasTooMany = shared.state.giveUp(to: origin) { waiter in
                if waiter === exchange { hasWaited = true }
                return waiter === exchange
            }
            let attempts = shared.attempts.values
            guard hasTooMany,
                let attempt = attempts.first(where: { $0.exchange === exchange })
                    ?? attempts.first(where: { $0.origin == origin })
            else {
                return (nil, [])
            }
            shared.attempts[ObjectIdentifier(attempt)] = nil
            return (attempt, shared.state.attemptWithdrawn(to: origin))
        }
        if hasWaited { reportWaiting(-1, for: exchange) }
        attempt?.cancel()
        perform(actions)
        resumeIfDrained()
    }

    // MARK: Connections

    func connectionIsFree(_ connection: any Connection) {
        perform(shared.withLockedValue { $0.state.freed(connection, of: connection.origin) })
    }

    func connection(_ connection: any Connection, changedCapacityTo capacity: Int) {
        perform(shared.withLockedValue { $0.state.resized(connection, of: connection.origin, capacity: capacity) })
    }

    func connectionRetired(_ connection: any Connection) {
        perform(shared.withLockedValue { $0.state.retired(connection, of: connection.origin) })
    }

    func connectionMayClose(_ connection: any Connection) -> Bool {
        shared.withLockedValue { $0.state.takeIdle(connection, of: connection.origin) }
    }

    func connectionClosed(_ connection: any Connection) {
        perform(shared.withLockedValue { $0.state.closed(connection, of: connection.origin) })
        resumeIfDrained()
    }

    private func open(_ origin: Origin, for exchange: Exchange) {
        let attempt = ConnectionAttempt(to: origin, for: exchange, on: loops.next(), owner: self)
        let isClosed = shared.withLockedValue { shared in
            if shared.isClosed {
                _ = shared.state.attemptWithdrawn(to: origin)
            } else {
                shared.attempts[ObjectIdentifier(attempt)] = attempt
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
            let isWanted = shared.attempts.removeValue(forKey: ObjectIdentifier(attempt)) != nil
            switch outcome {
            case .success(let connection) where isWanted:
                let (isShared, capacity) = (connection.isShared, connection.capacity)
                return (
                    nil, shared.state.opened(connection, to: attempt.origin, isShared: isShared, capacity: capacity)
                )
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

    private func scheduleSweep(at deadline: NIODeadline) {
        loops.first.scheduleTask(deadline: deadline) { [weak self] in self?.sweep() }
    }

    private func sweep() {
        let now = NIODeadline.now()
        let (expired, next) = shared.withLockedValue { shared in
            let expired = shared.state.removeWaiting { $0.sweepDeadline <= now || $0.isEnded }
            let next = shared.state.waiting.map(\.sweepDeadline).min() ?? .distantFuture
            shared.nextSweep = next
            return (expired, next)
        }
        for exchange in expired {
            reportWaiting(-1, for: exchange)
            exchange.fail(exchange.timeoutWhileWaiting(at: now))
        }
        if next < .distantFuture { scheduleSweep(at: max(next, now + .milliseconds(1))) }
    }

    // MARK: Closing

    /// Fails all exchanges and closes all connections.
    func close() {
        let (waiting, members, attempts) = shared.withLockedValue { shared in
            shared.isClosed = true
            _ = shared.state.drain()
            let waiting = shared.state.removeWaiting { _ in true }
            let attempts = shared.attempts.values
            shared.attempts = [:]
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

extension ConnectionPool.Shared {
    /// Submits an exchange, and returns the time of the next sweep if the exchange waits and needs an earlier one.
    fileprivate mutating func enqueue(
        _ exchange: Exchange,
        _ submit: (inout ConnectionPool.State) -> [ConnectionPool.State.Action]
    ) -> (actions: [ConnectionPool.State.Action], sweep: NIODeadline?) {
        let actions = submit(&state)
        if case .run? = actions.first { return (actions, nil) }
        guard exchange.waitingDeadline < nextSweep else { return (actions, nil) }
        nextSweep = exchange.waitingDeadline
        return (actions, nextSweep)
    }
}
