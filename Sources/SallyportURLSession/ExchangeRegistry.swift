import SallyportStorage
import SallyportTransport

/// The running exchanges of a transport, until it is closed.
final class ExchangeRegistry: Sendable {
    private struct State: Sendable {
        var running: [ObjectIdentifier: URLSessionExchange] = [:]
        var isClosed = false
    }

    private let state = Locked(State())
    private let changes = EventCount()

    /// Adds an exchange, and removes it when it ends.
    func add(_ exchange: URLSessionExchange) throws(NetworkError) {
        let id = ObjectIdentifier(exchange)
        let isClosed = state.withLock { state in
            if !state.isClosed { state.running[id] = exchange }
            return state.isClosed
        }
        if isClosed { throw .transportClosed }
        exchange.onEnd { [weak self] in self?.remove(id) }
    }

    private func remove(_ id: ObjectIdentifier) {
        state.withLock { $0.running[id] = nil }
        changes.signal()
    }

    /// Refuses new exchanges, and fails those that are running.
    func close() {
        let running = state.withLock { state in
            state.isClosed = true
            return Array(state.running.values)
        }
        for exchange in running { exchange.fail(.transportClosed) }
    }

    /// Refuses new exchanges, and waits for those that are running.
    func drain(for grace: Duration) async {
        state.withLock { $0.isClosed = true }
        let deadline = ContinuousClock.now + min(grace, .sallyportForever)
        while true {
            let seen = changes.count
            let isOver = state.withLock { $0.running.isEmpty }
            if isOver || ContinuousClock.now >= deadline || Task.isCancelled { return }
            await changes.wait(after: seen, until: deadline)
        }
    }

}

extension NetworkError {
    static var transportClosed: NetworkError {
        .clientClosed(NetworkFailure("the transport has been closed", advice: "create a new client"))
    }
}

extension Duration {
    /// A year, which replaces longer limits so that sums do not overflow.
    static var sallyportForever: Duration { .seconds(31_536_000) }
}
