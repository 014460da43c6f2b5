import SallyportTransport

/// Runs a closure that waits for the user, and cancels it when a time limit is reached.
///
/// - Parameters:
///   - limit: The time limit.
///   - clock: The time source.
///   - error: The error to throw if the limit is reached.
///   - question: The closure.
/// - Throws: The error for the limit, or the error of the closure.
func withTimeLimit<Value: Sendable>(
    _ limit: Duration,
    clock: TimeSource = .system,
    orThrow error: any Error,
    _ question: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    try await withThrowingTaskGroup(of: Value.self) { group in
        group.addTask { try await question() }
        group.addTask {
            try await clock.sleep(limit)
            throw error
        }
        defer { group.cancelAll() }
        guard let value = try await group.next() else { throw CancellationError() }
        return value
    }
}
