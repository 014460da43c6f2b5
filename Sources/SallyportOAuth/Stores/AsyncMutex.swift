import SallyportTransport

/// A lock that tasks can hold while they are suspended. Tasks get it in the order in which they asked for it.
final class AsyncMutex: Sendable {
    private struct State: Sendable {
        var isLocked = false
        var lastNumber = 0
        var waiting: [Int: CheckedContinuation<Bool, Never>] = [:]
    }

    private let state = Locked(State())

    /// Runs a closure while holding the lock.
    ///
    /// - Throws: The error of the closure, or `CancellationError` if the task is cancelled while it waits for the lock.
    func withLock<Result: Sendable>(_ body: @Sendable () async throws -> Result) async throws -> Result {
        guard await lock() else { throw CancellationError() }
        defer { unlock() }
        return try await body()
    }

    /// Waits for the lock.
    ///
    /// - Returns: `false` if the task was cancelled before it got the lock.
    private func lock() async -> Bool {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isAcquired: Bool? = state.withLock { state in
                    if Task.isCancelled { return false }
                    if !state.isLocked {
                        state.isLocked = true
                        return true
                    }
                    state.waiting[number] = continuation
                    return nil
                }
                if let isAcquired { continuation.resume(returning: isAcquired) }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: number) }?.resume(returning: false)
        }
    }

    private func unlock() {
        let next = state.withLock { state in
            let next = state.waiting.keys.min().flatMap { state.waiting.removeValue(forKey: $0) }
            state.isLocked = next != nil
            return next
        }
        next?.resume(returning: true)
    }
}
