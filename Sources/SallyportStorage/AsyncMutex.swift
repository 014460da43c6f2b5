/// A lock that a task can hold while it is suspended. Waiting tasks acquire it in the order of their calls.
package final class AsyncMutex: Sendable {
    private struct State: Sendable {
        var isLocked = false
        var lastTicket = 0
        var waiters: [Int: CheckedContinuation<Bool, Never>] = [:]
    }

    private let state = Locked(State())

    package init() {}

    /// Calls a closure while the lock is held.
    ///
    /// - Throws: The error of the closure, or `CancellationError` if the task is cancelled while it waits.
    package func withLock<Result: Sendable>(_ body: @Sendable () async throws -> Result) async throws -> Result {
        guard await lock() else { throw CancellationError() }
        defer { unlock() }
        return try await body()
    }

    /// Waits for the lock.
    ///
    /// - Returns: `false` if the task was cancelled first.
    private func lock() async -> Bool {
        let ticket = state.withLock { state in
            state.lastTicket += 1
            return state.lastTicket
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isHeld: Bool? = state.withLock { state in
                    if Task.isCancelled { return false }
                    if !state.isLocked {
                        state.isLocked = true
                        return true
                    }
                    state.waiters[ticket] = continuation
                    return nil
                }
                if let isHeld { continuation.resume(returning: isHeld) }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: ticket) }?.resume(returning: false)
        }
    }

    private func unlock() {
        let next = state.withLock { state in
            let next = state.waiters.keys.min().flatMap { state.waiters.removeValue(forKey: $0) }
            state.isLocked = next != nil
            return next
        }
        next?.resume(returning: true)
    }
}
