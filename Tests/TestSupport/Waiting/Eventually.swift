/// Waits until a closure returns a value. It is for what gives no notice, such as the files of another process.
///
/// - Returns: `nil` if there is none within the patience of a test.
public func eventually<Value: Sendable>(_ value: @Sendable () -> Value?) async throws -> Value? {
    let end = ContinuousClock.now + .patience
    while ContinuousClock.now < end {
        if let value = value() { return value }
        try await Task.sleep(for: .milliseconds(5))
    }
    return nil
}
