#if canImport(Darwin)
import os
#else
import Synchronization
#endif

/// A value behind a lock. The lock is held for the closure only, and the closure cannot suspend.
package final class Locked<Value: Sendable>: Sendable {
    #if canImport(Darwin)
    private let storage: OSAllocatedUnfairLock<Value>
    #else
    private let storage: Mutex<Value>
    #endif

    package init(_ value: Value) {
        #if canImport(Darwin)
        storage = OSAllocatedUnfairLock(initialState: value)
        #else
        storage = Mutex(value)
        #endif
    }

    package func withLock<Result: Sendable, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        #if canImport(Darwin)
        try storage.withLockUnchecked { value in Swift.Result { () throws(Failure) in try body(&value) } }.get()
        #else
        try storage.withLock { value throws(Failure) in try body(&value) }
        #endif
    }
}
