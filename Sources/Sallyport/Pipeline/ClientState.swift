import SallyportTransport

/// Whether a client has been closed, shared with the calls under way.
final class ClientState: Sendable {
    private struct State: Sendable {
        var isClosed = false
        var lastWaiter = 0
        var waiters: [Int: AsyncStream<Never>.Continuation] = [:]
    }

    private let state = Locked(State())

    func close() {
        let waiters = state.withLock { state in
            state.isClosed = true
            return state.waiters.values.map { $0 }
        }
        for waiter in waiters { waiter.finish() }
    }

    /// - Throws: ``NetworkError/clientClosed(_:)``.
    func check() throws(NetworkError) {
        if state.withLock({ $0.isClosed }) {
            throw .clientClosed(NetworkFailure("the client is closed", advice: "make a new client"))
        }
    }

    /// Waits until the client is closed, or the task cancelled.
    func waitForClose() async {
        let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
        let waiter: Int? = state.withLock { state in
            if state.isClosed { return nil }
            state.lastWaiter += 1
            state.waiters[state.lastWaiter] = continuation
            return state.lastWaiter
        }
        guard let waiter else { return }
        for await _ in stream {}
        state.withLock { _ = $0.waiters.removeValue(forKey: waiter) }
    }
}
