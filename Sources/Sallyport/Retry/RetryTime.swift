import Foundation

/// The time as retries see it, which tests can make pass as they like.
package struct RetryTime: Sendable {
    /// How much time has passed since some moment that stays the same.
    package var now: @Sendable () -> Duration

    /// The date, for servers that name one.
    package var date: @Sendable () -> Date

    /// Waits. It throws when the task is cancelled, and only then.
    package var sleep: @Sendable (Duration) async throws -> Void

    /// Makes a time.
    package init(
        now: @escaping @Sendable () -> Duration,
        date: @escaping @Sendable () -> Date,
        sleep: @escaping @Sendable (Duration) async throws -> Void
    ) {
        self.now = now
        self.date = date
        self.sleep = sleep
    }

    /// The time that passes by itself.
    package static let system = clock(ContinuousClock())

    /// The time of a clock, which starts now.
    private static func clock<C: Clock<Duration>>(_ clock: C) -> RetryTime {
        let start = clock.now
        return RetryTime(
            now: { start.duration(to: clock.now) },
            date: { Date() },
            sleep: { try await Task.sleep(for: $0, clock: clock) }
        )
    }
}
