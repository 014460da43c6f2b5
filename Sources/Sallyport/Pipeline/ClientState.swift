import SallyportStorage
import SallyportTransport

/// The state that a client shares with its running calls: whether it, or the client whose connections it uses, is closed.
final class ClientState: Sendable {
    private struct State: Sendable {
        var isClosed = false
        var waiters: [ObjectIdentifier: Waiter] = [:]
        /// The transports of derived clients with their own connections.
        var transports: [ObjectIdentifier: any Transport] = [:]
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

    /// Creates the state of an open client.
    ///
    /// - Parameter parent: The state of the client that shares its connections.
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

    /// The transports of derived clients that have their own connections, which are closed with this client.
    var transports: [any Transport] { state.withLock { Array($0.transports.values) } }

    /// Adds the transport of a derived client, here and to the clients that this one is derived from.
    func add(_ transport: any Transport, of client: ClientState) {
        state.withLock { $0.transports[ObjectIdentifier(client)] = transport }
        parent?.add(transport, of: client)
    }

    /// Removes the transport of a derived client that is released.
    func removeTransport(of client: ClientState) {
        state.withLock { _ = $0.transports.removeValue(forKey: ObjectIdentifier(client)) }
        parent?.removeTransport(of: client)
    }

    /// Checks that the client is open.
    ///
    /// - Throws: ``NetworkError/clientClosed(_:)``.
    func check() throws(NetworkError) {
        try parent?.check()
        if state.withLock({ $0.isClosed }) {
            throw .clientClosed(NetworkFailure("the client is closed", advice: "create a new client"))
        }
    }

    /// Suspends for a duration.
    ///
    /// - Throws: ``NetworkError/cancelled(_:)`` or ``NetworkError/clientClosed(_:)``, as soon as the task is cancelled or the
    ///   client closed.
    func wait(for delay: Duration, by time: TimeSource) async throws(NetworkError) {
        do {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await time.sleep(delay) }
                group.addTask { await self.waitForClose() }
                defer { group.cancelAll() }
                try await group.next()
            }
        } catch {
            throw NetworkError(wrapping: error, reason: "the wait for the next attempt failed")
        }
        if Task.isCancelled { throw .cancelled("the task was cancelled") }
        try check()
    }

    /// Suspends until the client is closed or the task is cancelled.
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
