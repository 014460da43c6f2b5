import Foundation

/// Runs a closure, and cancels it when a time limit is reached.
///
/// - Parameters:
///   - limit: The time limit.
///   - message: The message of the error if the limit is reached.
///   - work: The closure.
/// - Throws: ``CommandFailure`` with the status ``ExitStatus/timeout``, or the error of the closure.
func withTimeLimit<Value: Sendable>(
    _ limit: Duration,
    message: String,
    _ work: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    try await withThrowingTaskGroup(of: Value.self) { group in
        group.addTask { try await work() }
        group.addTask {
            try await Task.sleep(for: limit)
            throw CommandFailure(.timeout, message)
        }
        defer { group.cancelAll() }
        guard let value = try await group.next() else { throw CancellationError() }
        return value
    }
}
