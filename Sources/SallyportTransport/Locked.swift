#if canImport(Darwin)
import os
#else
import Synchronization
#endif

/// A value behind a lock. The lock is held for the closure only, and the closure cannot suspend.
///
/// It is inlined, as what the compiler does not know the value of costs ten times as much.
@usableFromInline
package final class Locked<Value: Sendable>: Sendable {
    #if canImport(Darwin)
    @usableFromInline let storage: OSAllocatedUnfairLock<Value>
    #else
    @usableFromInline let storage: Mutex<Value>
    #endif

    #if THREAD_SANITIZER
    /// Tells ThreadSanitizer that one who has the lock sees what was done before: it does not know Swift's Mutex.
    @usableFromInline let turns = Atomic(0)
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
            _ = turns.load(ordering: .acquiring)
            defer { turns.store(1, ordering: .releasing) }
            return try body(&value)
        }
        #else
        try storage.withLock { value throws(Failure) in try body(&value) }
        #endif
    }
}
