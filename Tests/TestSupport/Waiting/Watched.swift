import NIOConcurrencyHelpers

/// A value that tests can wait for: each change resumes the waiters whose condition it meets.
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

    /// Creates a watched value.
    public init(_ value: Value) {
        state = NIOLockedValueBox(State(value: value))
    }

    /// The current value.
    public var value: Value { state.withLockedValue { $0.value } }

    /// Accesses the value without copying it.
    public func read<Result: Sendable>(_ body: (Value) -> Result) -> Result {
        state.withLockedValue { body($0.value) }
    }

    /// Changes the value, and resumes the waiters whose condition is met.
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
    ///   - what: A description of the condition, used in the error.
    ///   - limit: The maximum duration.
    ///   - isMet: The condition, called under the lock at each change. It may change the value.
    /// - Throws: ``DeadlineExceeded`` if the limit is exceeded, or `CancellationError`.
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

/// An event that a test triggers once, and that other tasks wait for.
public final class Signal: Sendable {
    private let fired = Watched(false)

    /// Creates a signal that has not fired.
    public init() {}

    /// Fires the signal. Further calls have no effect.
    public func fire() {
        fired.update { $0 = true }
    }

    /// Waits until the signal has fired.
    public func wait(within limit: Duration = .patience) async throws {
        try await fired.wait("a signal", within: limit) { $0 }
    }
}
