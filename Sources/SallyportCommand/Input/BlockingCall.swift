import Dispatch
import Sallyport

/// Runs system calls that may block indefinitely, such as reading from a terminal.
enum BlockingCall {
    /// Runs a call on a separate thread. When the task is cancelled, returns at once and abandons the call.
    static func run<Value: Sendable>(_ call: @escaping @Sendable () throws -> Value) async throws -> Value {
        let waiter = Locked<CheckedContinuation<Value, any Error>?>(nil)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                waiter.withLock { $0 = continuation }
                if Task.isCancelled { return waiter.take()?.resume(throwing: CancellationError()) ?? () }
                DispatchQueue(label: "sallyport.blocking").async {
                    let result = Result { try call() }
                    waiter.take()?.resume(with: result)
                }
            }
        } onCancel: {
            waiter.take()?.resume(throwing: CancellationError())
        }
    }
}

extension Locked {
    /// Removes and returns the value, so that only one caller receives it.
    fileprivate func take<Wrapped: Sendable>() -> Value where Value == Wrapped? {
        withLock { value in
            defer { value = nil }
            return value
        }
    }
}
