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
    ///   - period: The time within which the failures must occur, in seconds. After that, no attempt is allowed for the same time.
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

    /// Counts a failure. The period begins with the first failure, and again when the limit is reached.
    mutating func count(_ name: String, now: Date) {
        let counter = counter(of: name)
        let count = failures.update(counter, now: now) { count -> Int in
            count += 1
            return count
        }
        if count == nil { failures.insert(1, for: counter, until: now + period, now: now) }
        if count == limit { failures.extend(counter, until: now + period) }
    }

    /// Resets the count of a user after a success. Other names share counters, which a success with one of them does not reset.
    mutating func forget(_ name: String) {
        if users.contains(name) { failures.remove(counter(of: name)) }
    }

    /// Hash values are seeded randomly in each process, so that nobody can choose names that share a counter.
    private func counter(of name: String) -> Counter {
        users.contains(name) ? .user(name) : .others(name.hashValue & (Self.countersOfOthers - 1))
    }
}
