import SallyportTransport

/// Whether a client has been closed, or the one whose connections it shares; known to the calls under way.
final class ClientState: Sendable {
    private struct State: Sendable {
        var isClosed = false
        var lastWaiter = 0
        var waiters: [Int: AsyncStream<Never>.Continuation] = [:]
    }

    private let state = Locked(State())
    private let parent: ClientState?

    /// - Parameter parent: The state of the client whose connections are shared.
    init(parent: ClientState? = nil) {
        self.parent = parent
    }

    func close() {
        let waiters = state.withLock { state in
            state.isClosed = true
            return state.waiters.values.map { $0 }
        }
        for waiter in waiters { waiter.finish() }
    }

    /// - Throws: ``NetworkError/clientClosed(_:)``.
    func check() throws(NetworkError) {
        try parent?.check()
        if state.withLock({ $0.isClosed }) {
            throw .clientClosed(NetworkFailure("the client is closed", advice: "make a new client"))
        }
    }

    /// Waits until the client is closed, or the task cancelled.
    func waitForClose() async {
        let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
        let places = sequence(first: self, next: \.parent).map { ($0, $0.add(continuation)) }
        for await _ in stream {}
        for (state, waiter) in places { state.remove(waiter) }
    }

    /// Has a stream finished by the close, which may have been before.
    private func add(_ waiter: AsyncStream<Never>.Continuation) -> Int {
        let (number, isClosed) = state.withLock { state in
            state.lastWaiter += 1
            state.waiters[state.lastWaiter] = waiter
            return (state.lastWaiter, state.isClosed)
        }
        if isClosed { waiter.finish() }
        return number
    }

    private func remove(_ waiter: Int) {
        state.withLock { _ = $0.waiters.removeValue(forKey: waiter) }
    }
}
