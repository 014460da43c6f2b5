import SallyportTransport

/// Lets one task after another in, in the order in which they came.
final class ExclusiveTurn: Sendable {
    private struct State: Sendable {
        var isTaken = false
        var next = 0
        var waiting: [Int: CheckedContinuation<Bool, Never>] = [:]
    }

    private let state = Locked(State())

    /// Runs a closure when it is its turn.
    ///
    /// - Throws: What the closure throws, or `CancellationError` if the task is cancelled before its turn.
    func perform<Result: Sendable>(_ body: @Sendable () async throws -> Result) async throws -> Result {
        guard await take() else { throw CancellationError() }
        defer { giveBack() }
        return try await body()
    }

    /// - Returns: Whether it is the task's turn; `false` if it was cancelled before.
    private func take() async -> Bool {
        let number = state.withLock { state in
            state.next += 1
            return state.next
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer: Bool? = state.withLock { state in
                    if Task.isCancelled { return false }
                    if !state.isTaken {
                        state.isTaken = true
                        return true
                    }
                    state.waiting[number] = continuation
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: number) }?.resume(returning: false)
        }
    }

    private func giveBack() {
        let next = state.withLock { state in
            let next = state.waiting.keys.min().flatMap { state.waiting.removeValue(forKey: $0) }
            state.isTaken = next != nil
            return next
        }
        next?.resume(returning: true)
    }
}
