/// A test waited too long for something.
public struct DeadlineExceeded: Error, CustomStringConvertible {
    /// What was waited for, and for how long.
    public let description: String
}

/// Runs a closure that must be done in time.
///
/// - Parameters:
///   - limit: How long it may take; then it is cancelled.
///   - what: What the closure waits for, as it should stand in the error.
/// - Throws: ``DeadlineExceeded``, or what the closure throws.
@discardableResult
public func withDeadline<Result: Sendable>(
    _ limit: Duration,
    _ what: String,
    _ body: @escaping @Sendable () async throws -> Result
) async throws -> Result {
    try await withThrowingTaskGroup(of: Result.self) { group in
        group.addTask { try await body() }
        group.addTask {
            try await Task.sleep(for: limit)
            throw DeadlineExceeded(description: "waited \(limit) in vain for \(what)")
        }
        defer { group.cancelAll() }
        guard let result = try await group.next() else { throw CancellationError() }
        return result
    }
}

extension Duration {
    /// How long a test waits for what should happen at once: only one that hangs ever waits so long, however loaded the
    /// machine is.
    public static let patience = Duration.seconds(60)
}
