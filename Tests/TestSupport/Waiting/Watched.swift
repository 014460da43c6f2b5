import NIOConcurrencyHelpers

/// A value that tests can wait for: each change wakes those whose condition it meets.
///
/// ```swift
/// let count = Watched(0)
/// count.update { $0 += 1 }
/// try await count.wait("the count to be 1") { $0 == 1 }
/// ```
public final class Watched<Value: Sendable>: Sendable {
    private struct Waiter: Sendable {
        var isMet: @Sendable (inout Value) -> Bool
        var continuation: CheckedContinuation<Void, any Error>
    }

    private struct State: Sendable {
        var value: Value
        var waiters: [Int: Waiter] = [:]
        var nextWaiter = 0
    }

    private let state: NIOLockedValueBox<State>

    /// Starts with a value.
    public init(_ value: Value) {
        state = NIOLockedValueBox(State(value: value))
    }

    /// The value as it is now.
    public var value: Value { state.withLockedValue { $0.value } }

    /// Looks at the value without copying it.
    public func read<Result: Sendable>(_ body: (Value) -> Result) -> Result {
        state.withLockedValue { body($0.value) }
    }

    /// Changes the value, and wakes those who waited for the change.
    @discardableResult
    public func update<Result: Sendable>(_ change: (inout Value) -> Result) -> Result {
        let (result, woken) = state.withLockedValue { state in
            let result = change(&state.value)
            var woken: [CheckedContinuation<Void, any Error>] = []
            for (number, waiter) in state.waiters where waiter.isMet(&state.value) {
                woken.append(waiter.continuation)
                state.waiters[number] = nil
            }
            return (result, woken)
        }
        for continuation in woken { continuation.resume() }
        return result
    }

    /// Waits until a condition holds.
    ///
    /// - Parameters:
    ///   - what: What is waited for, as it should stand in the error.
    ///   - limit: How long to wait at most.
    ///   - isMet: Called under the lock at each change. It may keep notes in the value.
    /// - Throws: ``DeadlineExceeded`` when it takes too long, or `CancellationError`.
    public func wait(
        _ what: String,
        within limit: Duration = .patience,
        until isMet: @escaping @Sendable (inout Value) -> Bool
    ) async throws {
        try await withDeadline(limit, what) { try await self.wait(until: isMet) }
    }

    private func wait(until isMet: @escaping @Sendable (inout Value) -> Bool) async throws {
        let number = state.withLockedValue { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isOver = state.withLockedValue { state in
                    if Task.isCancelled || isMet(&state.value) { return true }
                    state.waiters[number] = Waiter(isMet: isMet, continuation: continuation)
                    return false
                }
                if isOver { continuation.resume() }
            }
            try Task.checkCancellation()
        } onCancel: {
            let waiter = state.withLockedValue { $0.waiters.removeValue(forKey: number) }
            waiter?.continuation.resume(throwing: CancellationError())
        }
    }
}
