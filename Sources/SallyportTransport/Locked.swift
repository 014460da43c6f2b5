#if canImport(Darwin)
import os
#else
import Synchronization
#endif

/// A value that is protected by a lock. The lock is held during a closure, which cannot suspend.
///
/// Inlinable: unspecialized access is about ten times slower.
@usableFromInline
package final class Locked<Value: Sendable>: Sendable {
    #if canImport(Darwin)
    @usableFromInline let storage: OSAllocatedUnfairLock<Value>
    #else
    @usableFromInline let storage: Mutex<Value>
    #endif

    #if THREAD_SANITIZER
    /// Establishes the order of accesses for ThreadSanitizer, which does not know Swift's `Mutex`.
    @usableFromInline let order = Atomic(0)
    #endif

    @inlinable
    package init(_ value: Value) {
        #if canImport(Darwin)
        storage = OSAllocatedUnfairLock(initialState: value)
        #else
        storage = Mutex(value)
        #endif
    }

    @inlinable
    package func withLock<Result: Sendable, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        #if canImport(Darwin)
        try storage.withLockUnchecked { value in Swift.Result { () throws(Failure) in try body(&value) } }.get()
        #elseif THREAD_SANITIZER
        try storage.withLock { value throws(Failure) in
            _ = order.load(ordering: .acquiring)
            defer { order.store(1, ordering: .releasing) }
            return try body(&value)
        }
        #else
        try storage.withLock { value throws(Failure) in try body(&value) }
        #endif
    }
}
