import Foundation

/// What time it is, and how to wait; tests have one that does not wait.
package struct OAuthClock: Sendable {
    /// What time it is.
    package var now: @Sendable () -> Date
    /// Waits; throws when the task is cancelled.
    package var sleep: @Sendable (Duration) async throws -> Void

    /// Makes a clock.
    package init(
        now: @escaping @Sendable () -> Date = { Date() },
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.now = now
        self.sleep = sleep
    }
}
