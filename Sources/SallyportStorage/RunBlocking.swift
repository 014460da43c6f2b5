import Dispatch

/// Runs blocking work, such as disk access, off the cooperative thread pool.
///
/// The work begins at once, however much other work is blocked: a serial queue gets its own thread, whereas the threads of
/// a global queue are as many as the processors, and one is added after a second in which all of them are blocked.
///
/// - Parameter queue: A serial queue, which runs one piece of work after the other.
package func runBlocking<Value: Sendable, Failure: Error>(
    on queue: DispatchQueue = DispatchQueue(label: "sallyport.blocking"),
    _ work: @escaping @Sendable () throws(Failure) -> Value
) async throws(Failure) -> Value {
    let result: Result<Value, Failure> = await withCheckedContinuation { continuation in
        queue.async {
            continuation.resume(returning: Result { () throws(Failure) in try work() })
        }
    }
    return try result.get()
}

/// Runs long blocking work off the cooperative thread pool, and lets the work check whether the task has been
/// cancelled.
///
/// - Parameter work: Called with a function that returns whether the task has been cancelled.
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
            DispatchQueue(label: "sallyport.blocking").async {
                let result = Result { try work() }
                waiter.take()?.resume(with: result)
            }
        }
    } onCancel: {
        waiter.take()?.resume(throwing: CancellationError())
    }
}
