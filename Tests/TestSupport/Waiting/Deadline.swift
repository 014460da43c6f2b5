/// An error that is thrown when a test waits too long.
public struct DeadlineExceeded: Error, CustomStringConvertible {
    /// A description of the awaited condition and the limit.
    public let description: String
}

/// Runs a closure, and cancels it if it exceeds a limit.
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
    /// The limit for events that should occur at once, long enough that only a test that hangs exceeds it.
    public static let patience = Duration.seconds(60)
}

/// Waits until a closure returns a value. Use it if nothing signals a change, as for files of another process.
///
/// - Returns: The value, or `nil` if there is none within `Duration.patience`.
public func eventually<Value: Sendable>(_ value: @Sendable () -> Value?) async throws -> Value? {
    let end = ContinuousClock.now + .patience
    while ContinuousClock.now < end {
        if let value = value() { return value }
        try await Task.sleep(for: .milliseconds(5))
    }
    return nil
}
