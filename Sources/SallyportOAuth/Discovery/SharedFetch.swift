import Sallyport
import SallyportStorage

/// Fetches a value for several concurrent tasks: one task fetches, while the others wait for its result.
///
/// A cancelled task stops waiting. If the fetching task is cancelled, a waiting task fetches instead.
package final class SharedFetch<Value: Sendable>: Sendable {
    private enum Role: Sendable {
        case fetch
        case use(Result<Value, any Error>)
    }

    private struct State: Sendable {
        var isFetching = false
        var nextWaiter = 0
        var waiters: [Int: CheckedContinuation<Role, any Error>] = [:]
    }

    private let state = Locked(State())

    package init() {}

    /// The number of tasks that wait for the running fetch.
    package var waiterCount: Int { state.withLock { $0.waiters.count } }

    /// Returns the result of the running fetch, or fetches the value if there is none.
    package func value(_ fetch: @Sendable () async throws -> Value) async throws -> Value {
        switch try await waitForRole() {
        case .use(let result): return try result.get()
        case .fetch: break
        }
        let result: Result<Value, any Error>
        do { result = .success(try await fetch()) } catch { result = .failure(error) }
        finish(result, wasCancelled: Task.isCancelled)
        return try result.get()
    }

    private func waitForRole() async throws -> Role {
        let number = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let role: Result<Role, any Error>? = state.withLock { state in
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if !state.isFetching {
                        state.isFetching = true
                        return .success(.fetch)
                    }
                    state.waiters[number] = continuation
                    return nil
                }
                if let role { continuation.resume(with: role) }
            }
        } onCancel: {
            let waiter = state.withLock { $0.waiters.removeValue(forKey: number) }
            waiter?.resume(throwing: CancellationError())
        }
    }

    private func finish(_ result: Result<Value, any Error>, wasCancelled: Bool) {
        let (waiters, role) = state.withLock { state -> ([CheckedContinuation<Role, any Error>], Role) in
            if wasCancelled, let next = state.waiters.keys.min(), let waiter = state.waiters.removeValue(forKey: next) {
                return ([waiter], .fetch)
            }
            state.isFetching = false
            defer { state.waiters = [:] }
            return (Array(state.waiters.values), .use(result))
        }
        for waiter in waiters { waiter.resume(returning: role) }
    }
}
