import Foundation

/// Limits the failed attempts of each user within a period.
///
/// The attempts of each known user are counted separately. All other names share a fixed number of counters, so that unknown
/// names neither reset the count of a user nor use additional memory.
struct AttemptLimit: Sendable {
    private enum Counter: Hashable, Sendable {
        case user(String)
        case others(Int)
    }

    private static let countersOfOthers = 4096

    private let limit: Int
    private let period: TimeInterval
    private let users: Set<String>
    private var failures: ExpiringTable<Counter, Int>

    /// Creates a limit.
    ///
    /// - Parameters:
    ///   - limit: The number of failures after which no attempt is allowed.
    ///   - period: The time after the first failure at which the count is reset, in seconds.
    ///   - users: The names of the known users.
    init(limit: Int, period: TimeInterval, users: some Sequence<String>) {
        self.limit = limit
        self.period = period
        self.users = Set(users)
        failures = ExpiringTable(limit: self.users.count + Self.countersOfOthers)
    }

    /// Returns a Boolean value that indicates whether further attempts are refused.
    func isReached(by name: String, now: Date) -> Bool {
        (failures.value(for: counter(of: name), now: now) ?? 0) >= limit
    }

    /// Counts an attempt as a failure. After a successful one, call ``forget(_:)``.
    mutating func count(_ name: String, now: Date) {
        let counter = counter(of: name)
        if failures.update(counter, now: now, { $0 += 1 }) == nil {
            failures.insert(1, for: counter, until: now + period, now: now)
        }
    }

    /// Resets the count of a name.
    mutating func forget(_ name: String) {
        failures.remove(counter(of: name))
    }

    /// Hash values are seeded randomly in each process, so that nobody can choose names that share a counter.
    private func counter(of name: String) -> Counter {
        users.contains(name) ? .user(name) : .others(name.hashValue & (Self.countersOfOthers - 1))
    }
}
