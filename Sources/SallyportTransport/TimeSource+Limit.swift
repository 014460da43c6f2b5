/// Runs a closure, and cancels it when a time limit is reached. Waits until it has ended.
///
/// - Parameters:
///   - limit: The time limit.
///   - clock: The time source.
///   - error: The error to throw if the limit is reached.
///   - work: The closure.
/// - Throws: The error for the limit, or the error of the closure.
package func withTimeLimit<Value: Sendable>(
    _ limit: Duration,
    clock: TimeSource = .system,
    orThrow error: any Error,
    _ work: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    try await withThrowingTaskGroup(of: Value.self) { group in
        group.addTask { try await work() }
        group.addTask {
            try await clock.sleep(limit)
            throw error
        }
        defer { group.cancelAll() }
        guard let value = try await group.next() else { throw CancellationError() }
        return value
    }
}
