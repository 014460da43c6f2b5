import Foundation

/// Bounds how often somebody can guess: so many failures in a stretch of time, then none is looked at until it is over.
struct AttemptLimit: Sendable {
    private let limit: Int
    private let period: TimeInterval
    private var failures = ExpiringTable<String, Int>(limit: 4096)

    init(limit: Int, period: TimeInterval) {
        self.limit = limit
        self.period = period
    }

    func isReached(by name: String, now: Date) -> Bool {
        (failures.value(for: name, now: now) ?? 0) >= limit
    }

    /// Counts an attempt; it counts as a failure until ``forget(_:)``.
    mutating func count(_ name: String, now: Date) {
        if failures.update(name, now: now, { $0 += 1 }) == nil {
            failures.insert(1, for: name, until: now + period, now: now)
        }
    }

    mutating func forget(_ name: String) {
        failures.remove(name)
    }
}
