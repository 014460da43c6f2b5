/// A lock that a task, or a limited number of them, can hold while it is suspended. Waiting tasks acquire it in the order of
/// their calls.
package final class AsyncMutex: Sendable {
    private struct State: Sendable {
        var free: Int
        var lastTicket = 0
        var waiters: [Int: CheckedContinuation<Bool, Never>] = [:]
    }

    private let state: Locked<State>

    /// - Parameter holders: The maximum number of tasks that hold the lock at the same time.
    package init(holders: Int = 1) {
        state = Locked(State(free: holders))
    }

    /// Calls a closure while the lock is held.
    ///
    /// - Throws: The error of the closure, or `CancellationError` if the task is cancelled while it waits.
    package func withLock<Result: Sendable>(_ body: @Sendable () async throws -> Result) async throws -> Result {
        guard await lock() else { throw CancellationError() }
        defer { unlock() }
        return try await body()
    }

    /// Calls a closure while the lock is held.
    ///
    /// - Parameters:
    ///   - limit: The maximum time to wait for the lock.
    ///   - timeout: The error to throw if it takes longer.
    /// - Throws: The error of the closure, the error for the timeout, or `CancellationError`.
    package func withLock<Result: Sendable>(
        within limit: Duration,
        orThrow timeout: @autoclosure () -> any Error,
        _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
        let isHeld = await withTaskGroup(of: Bool?.self) { group in
            group.addTask { await self.lock() }
            group.addTask {
                try? await Task.sleep(for: limit)
                return nil
            }
            defer { group.cancelAll() }
            if let isHeld = await group.next() ?? nil { return isHeld }
            group.cancelAll()
            // The lock may have been acquired at the same time.
            return await group.next() == .some(true)
        }
        guard isHeld else {
            try Task.checkCancellation()
            throw timeout()
        }
        defer { unlock() }
        return try await body()
    }

    /// Calls a closure while the lock is held, even in a task that has been cancelled.
    package func withLockIgnoringCancellation<Result: Sendable>(
        _ body: @Sendable () async throws -> Result
    ) async rethrows -> Result {
        _ = await lock(ignoringCancellation: true)
        defer { unlock() }
        return try await body()
    }

    /// Waits for the lock.
    ///
    /// - Returns: `false` if the task was cancelled first.
    private func lock(ignoringCancellation: Bool = false) async -> Bool {
        let ticket = state.withLock { state in
            state.lastTicket += 1
            return state.lastTicket
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isHeld: Bool? = state.withLock { state in
                    if !ignoringCancellation, Task.isCancelled { return false }
                    if state.free > 0 {
                        state.free -= 1
                        return true
                    }
                    state.waiters[ticket] = continuation
                    return nil
                }
                if let isHeld { continuation.resume(returning: isHeld) }
            }
        } onCancel: {
            guard !ignoringCancellation else { return }
            state.withLock { $0.waiters.removeValue(forKey: ticket) }?.resume(returning: false)
        }
    }

    private func unlock() {
        let next = state.withLock { state in
            let next = state.waiters.keys.min().flatMap { state.waiters.removeValue(forKey: $0) }
            if next == nil { state.free += 1 }
            return next
        }
        next?.resume(returning: true)
    }
}
