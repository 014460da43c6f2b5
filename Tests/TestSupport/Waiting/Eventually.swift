/// Waits until a closure returns a value. Use it where nothing signals a change, such as for files of another process.
///
/// - Returns: The value; `nil` if there is none within `Duration.patience`.
public func eventually<Value: Sendable>(_ value: @Sendable () -> Value?) async throws -> Value? {
    let end = ContinuousClock.now + .patience
    while ContinuousClock.now < end {
        if let value = value() { return value }
        try await Task.sleep(for: .milliseconds(5))
    }
    return nil
}
