/// A value that is accessed under a lock, and can be shared by several objects. The lock is held for the duration of a closure, which
/// cannot suspend.
///
/// Inlinable, because access that is not specialized is about ten times slower.
@usableFromInline
package final class Locked<Value: Sendable>: Sendable {
    @usableFromInline let content: LockedValue<Value>

    /// Creates a lock with its initial value.
    @inlinable
    package init(_ value: Value) {
        content = LockedValue(value)
    }

    /// Calls a closure with the value while the lock is held.
    @inlinable
    package func withLock<Result: Sendable, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try content.withLock(body)
    }
}

extension Locked {
    /// Replaces the value, and returns the previous one.
    package func exchange(_ new: Value) -> Value {
        withLock { value in
            defer { value = new }
            return value
        }
    }

    /// Returns the value and replaces it with `nil`.
    package func take<Wrapped: Sendable>() -> Value where Value == Wrapped? {
        withLock { value in
            defer { value = nil }
            return value
        }
    }
}
