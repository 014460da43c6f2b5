#if canImport(Darwin)
import os
#else
import Synchronization
#endif

/// A value that is accessed under a lock, and is stored in the object that it is a constant of.
///
/// It costs less than ``Locked``, which is an object of its own, and is intended for objects that each call creates. The lock is held for
/// the duration of a closure, which cannot suspend.
///
/// Inlinable, because access that is not specialized is about ten times slower.
@usableFromInline
package struct LockedValue<Value: Sendable>: ~Copyable, Sendable {
    #if canImport(Darwin)
    @usableFromInline let storage: OSAllocatedUnfairLock<Value>
    #else
    @usableFromInline let storage: Mutex<Value>
    #endif

    #if THREAD_SANITIZER
    /// Shows ThreadSanitizer the order of accesses: it does not know Swift's Mutex.
    @usableFromInline let turns = Atomic(0)
    #endif

    /// Creates a lock with its initial value.
    @inlinable
    package init(_ value: consuming Value) {
        #if canImport(Darwin)
        storage = OSAllocatedUnfairLock(initialState: value)
        #else
        storage = Mutex(value)
        #endif
    }

    /// Calls a closure with the value while the lock is held.
    @inlinable
    package func withLock<Result: Sendable, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        #if canImport(Darwin)
        try storage.withLockUnchecked { value in Swift.Result { () throws(Failure) in try body(&value) } }.get()
        #elseif THREAD_SANITIZER
        try storage.withLock { value throws(Failure) in
            _ = turns.load(ordering: .acquiring)
            defer { turns.store(1, ordering: .releasing) }
            return try body(&value)
        }
        #else
        try storage.withLock { value throws(Failure) in try body(&value) }
        #endif
    }
}
