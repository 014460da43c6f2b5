import SallyportStorage
import SallyportTransport

/// Suspends stalled exchanges until they are cancelled or time out, or the transport is closed.
final class MockGate: Sendable {
    private struct State: Sendable {
        var isClosed = false
        var nextWaiter = 0
        var waiters: [Int: AsyncStream<Never>.Continuation] = [:]
    }

    private let state = Locked(State())

    func checkOpen() throws(NetworkError) {
        if state.withLock({ $0.isClosed }) { throw Self.closed }
    }

    func close() {
        let waiters = state.withLock { state in
            state.isClosed = true
            defer { state.waiters = [:] }
            return Array(state.waiters.values)
        }
        for waiter in waiters { waiter.finish() }
    }

    /// Waits until the task is cancelled, the limit has passed or the gate is closed, and returns the corresponding error.
    func stall(for limit: Duration?, phase: ExchangePhase) async -> NetworkError {
        await withTaskGroup(of: NetworkError.self) { group in
            group.addTask { await self.waitForEnd() }
            if let limit {
                group.addTask {
                    try? await Task.sleep(for: limit)
                    return .timeout(NetworkFailure("no data was received within \(limit)", phase: phase))
                }
            }
            let reason = await group.next() ?? Self.closed
            group.cancelAll()
            return Task.isCancelled ? .cancelled("the task was cancelled") : reason
        }
    }

    private func waitForEnd() async -> NetworkError {
        let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
        let waiter: Int? = state.withLock { state in
            if state.isClosed { return nil }
            state.nextWaiter += 1
            state.waiters[state.nextWaiter] = continuation
            return state.nextWaiter
        }
        guard let waiter else { return Self.closed }
        for await _ in stream {}
        state.withLock { _ = $0.waiters.removeValue(forKey: waiter) }
        return Self.closed
    }

    private static let closed = NetworkError.clientClosed("the transport was closed")
}
