import Sallyport

/// Lets one task at a time fetch a value, while others wait for what it brings.
///
/// A task that is cancelled stops waiting; if it was the one that fetches, another takes over.
final class SharedFetch<Value: Sendable>: Sendable {
    private enum Turn: Sendable {
        case fetch
        case take(Result<Value, any Error>)
    }

    private struct State: Sendable {
        var isFetching = false
        var nextWaiter = 0
        var waiters: [Int: CheckedContinuation<Turn, any Error>] = [:]
    }

    private let state = Locked(State())

    func value(_ fetch: @Sendable () async throws -> Value) async throws -> Value {
        switch try await turn() {
        case .take(let result): return try result.get()
        case .fetch: break
        }
        let result: Result<Value, any Error>
        do { result = .success(try await fetch()) } catch { result = .failure(error) }
        finish(result, wasCancelled: Task.isCancelled)
        return try result.get()
    }

    private func turn() async throws -> Turn {
        let number = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let turn: Result<Turn, any Error>? = state.withLock { state in
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if !state.isFetching {
                        state.isFetching = true
                        return .success(.fetch)
                    }
                    state.waiters[number] = continuation
                    return nil
                }
                if let turn { continuation.resume(with: turn) }
            }
        } onCancel: {
            let waiter = state.withLock { $0.waiters.removeValue(forKey: number) }
            waiter?.resume(throwing: CancellationError())
        }
    }

    private func finish(_ result: Result<Value, any Error>, wasCancelled: Bool) {
        let (woken, turn) = state.withLock { state -> ([CheckedContinuation<Turn, any Error>], Turn) in
            if wasCancelled, let next = state.waiters.keys.min(), let waiter = state.waiters.removeValue(forKey: next) {
                return ([waiter], .fetch)
            }
            state.isFetching = false
            defer { state.waiters = [:] }
            return (Array(state.waiters.values), .take(result))
        }
        for waiter in woken { waiter.resume(returning: turn) }
    }
}
