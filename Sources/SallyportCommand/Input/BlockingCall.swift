import Dispatch
import Sallyport

/// Calls of the system that may take as long as they like, such as reading from a terminal.
enum BlockingCall {
    /// Runs a call in a thread of its own. When the task is cancelled, the call is left to itself.
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
    /// Takes the value away, so that only one can have it.
    fileprivate func take<Wrapped: Sendable>() -> Value where Value == Wrapped? {
        withLock { value in
            defer { value = nil }
            return value
        }
    }
}
