import SallyportTransport

/// Whether a client has been closed, or the one whose connections it shares; known to the calls under way.
final class ClientState: Sendable {
    private struct State: Sendable {
        var isClosed = false
        var waiters: [ObjectIdentifier: Waiter] = [:]
    }

    /// A wait that ends when the client is closed.
    private final class Waiter: Sendable {
        let stream: AsyncStream<Never>
        let continuation: AsyncStream<Never>.Continuation

        init() {
            (stream, continuation) = AsyncStream.makeStream(of: Never.self)
        }
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
            return Array(state.waiters.values)
        }
        for waiter in waiters { waiter.continuation.finish() }
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
        let waiter = Waiter()
        enter(waiter)
        for await _ in waiter.stream {}
        leave(waiter)
    }

    private func enter(_ waiter: Waiter) {
        let isClosed = state.withLock { state in
            state.waiters[ObjectIdentifier(waiter)] = waiter
            return state.isClosed
        }
        if isClosed { waiter.continuation.finish() }
        parent?.enter(waiter)
    }

    private func leave(_ waiter: Waiter) {
        state.withLock { _ = $0.waiters.removeValue(forKey: ObjectIdentifier(waiter)) }
        parent?.leave(waiter)
    }
}
