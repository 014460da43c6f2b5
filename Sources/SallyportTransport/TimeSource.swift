import Foundation

/// Functions that return the current time and wait, which tests can replace.
package struct TimeSource: Sendable {
    /// Returns the time that has passed since a fixed but unspecified moment. It never decreases.
    package var now: @Sendable () -> Duration

    /// Returns the current date, for times that are exchanged with servers.
    package var date: @Sendable () -> Date

    /// Suspends the task for a duration. Throws only if the task is cancelled.
    package var sleep: @Sendable (Duration) async throws -> Void

    /// Creates a time source.
    package init(
        now: @escaping @Sendable () -> Duration,
        date: @escaping @Sendable () -> Date,
        sleep: @escaping @Sendable (Duration) async throws -> Void
    ) {
        self.now = now
        self.date = date
        self.sleep = sleep
    }

    /// The system's continuous clock and date.
    package static let system = clock(ContinuousClock())

    /// Returns a time source that counts ``now`` from the time of this call.
    private static func clock<C: Clock<Duration>>(_ clock: C) -> TimeSource {
        let start = clock.now
        return TimeSource(
            now: { start.duration(to: clock.now) },
            date: { Date() },
            sleep: { try await Task.sleep(for: $0, clock: clock) }
        )
    }
}
