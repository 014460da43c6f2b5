import Dispatch

/// Runs blocking work, such as disk access, off the cooperative thread pool.
package func onAnotherThread<Value: Sendable, Failure: Error>(
    _ work: @escaping @Sendable () throws(Failure) -> Value
) async throws(Failure) -> Value {
    let result: Result<Value, Failure> = await withCheckedContinuation { continuation in
        DispatchQueue.global().async {
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
