/// An error thrown when a test waits too long for something.
public struct DeadlineExceeded: Error, CustomStringConvertible {
    /// What the test waited for, and the limit.
    public let description: String
}

/// Runs a closure, and cancels it when it takes longer than a limit.
///
/// The limit is the sum of short sleeps, not time on a clock, so that time in which a busy machine does not run the
/// process hardly counts.
///
/// - Parameters:
///   - limit: The maximum duration.
///   - what: A description of what the closure waits for, used in the error.
/// - Throws: ``DeadlineExceeded``, or the error that the closure throws.
@discardableResult
public func withDeadline<Result: Sendable>(
    _ limit: Duration,
    _ what: String,
    _ body: @escaping @Sendable () async throws -> Result
) async throws -> Result {
    try await withThrowingTaskGroup(of: Result.self) { group in
        group.addTask { try await body() }
        group.addTask {
            for _ in 0..<100 { try await Task.sleep(for: limit / 100) }
            throw DeadlineExceeded(description: "waited \(limit) in vain for \(what)")
        }
        defer { group.cancelAll() }
        guard let result = try await group.next() else { throw CancellationError() }
        return result
    }
}

extension Duration {
    /// The limit for what should happen at once, long enough that only a test that hangs reaches it.
    public static let patience = Duration.seconds(60)
}
