import Dispatch

/// Runs blocking work, such as disk access, off the cooperative thread pool.
///
/// The work begins at once, however much other work is blocked: a serial queue gets its own thread, whereas the threads of
/// a global queue are as many as the processors, and one is added after a second in which all of them are blocked.
package func onAnotherThread<Value: Sendable, Failure: Error>(
    _ work: @escaping @Sendable () throws(Failure) -> Value
) async throws(Failure) -> Value {
    let result: Result<Value, Failure> = await withCheckedContinuation { continuation in
        DispatchQueue(label: "sallyport.blocking").async {
            continuation.resume(returning: Result { () throws(Failure) in try work() })
        }
    }
    return try result.get()
}

/// Runs long blocking work off the cooperative thread pool, and lets the work check whether the task has been
/// cancelled.
///
/// - Parameter work: Called with a function that returns whether the task has been cancelled.
package func onAnotherThread<Value: Sendable, Failure: Error>(
    _ work: @escaping @Sendable (_ isCancelled: () -> Bool) throws(Failure) -> Value
) async throws(Failure) -> Value {
    let isCancelled = Locked(false)
    let result: Result<Value, Failure> = await withTaskCancellationHandler {
        await onAnotherThread { () in
            Result { () throws(Failure) in try work { isCancelled.withLock { $0 } } }
        }
    } onCancel: {
        isCancelled.withLock { $0 = true }
    }
    return try result.get()
}
