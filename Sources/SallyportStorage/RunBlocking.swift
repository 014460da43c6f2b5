import Dispatch

/// Runs blocking work, such as disk access, off the cooperative thread pool.
///
/// The work begins immediately, even if other work is blocked, because a serial queue gets its own thread. A global queue has
/// as many threads as there are processors, and adds one only after all of them have been blocked for a second.
///
/// - Parameter queue: A serial queue, which runs one work item at a time. The default is a new queue for each call.
package func runBlocking<Value: Sendable, Failure: Error>(
    on queue: DispatchQueue = DispatchQueue(label: "sallyport.blocking"),
    _ work: @escaping @Sendable () throws(Failure) -> Value
) async throws(Failure) -> Value {
    let result: Result<Value, Failure> = await withCheckedContinuation { continuation in
        startBlocking(on: queue) {
            continuation.resume(returning: Result { () throws(Failure) in try work() })
        }
    }
    return try result.get()
}

/// Runs long blocking work off the cooperative thread pool, and lets the work check whether the task has been
/// cancelled.
///
/// - Parameter work: The work. Its parameter is a function that returns `true` if the task has been cancelled.
package func runBlocking<Value: Sendable, Failure: Error>(
    _ work: @escaping @Sendable (_ isCancelled: () -> Bool) throws(Failure) -> Value
) async throws(Failure) -> Value {
    let isCancelled = Locked(false)
    let result: Result<Value, Failure> = await withTaskCancellationHandler {
        await runBlocking { () in
            Result { () throws(Failure) in try work { isCancelled.withLock { $0 } } }
        }
    } onCancel: {
        isCancelled.withLock { $0 = true }
    }
    return try result.get()
}

/// Runs blocking work that may never end, such as a read from a terminal, off the cooperative thread pool.
///
/// - Throws: The error of the work, or `CancellationError` as soon as the task is cancelled; the work then continues on its
///   own thread, and its result is discarded.
package func runAbandonable<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    let waiter = Locked<CheckedContinuation<Value, any Error>?>(nil)
    return try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { continuation in
            waiter.withLock { $0 = continuation }
            if Task.isCancelled { return waiter.take()?.resume(throwing: CancellationError()) ?? () }
            startBlocking {
                let result = Result { try work() }
                waiter.take()?.resume(with: result)
            }
        }
    } onCancel: {
        waiter.take()?.resume(throwing: CancellationError())
    }
}

/// Starts blocking work off the cooperative thread pool, and does not wait for it.
///
/// - Parameter queue: A serial queue. By default, the work gets a thread of its own, also while other work blocks.
package func startBlocking(
    on queue: DispatchQueue = DispatchQueue(label: "sallyport.blocking"),
    _ work: @escaping @Sendable () -> Void
) {
    queue.async(execute: work)
}
