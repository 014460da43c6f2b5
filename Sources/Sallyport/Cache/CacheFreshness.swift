import Foundation
import HTTPTypes

/// The age and the freshness lifetime of a stored response at a time (RFC 9111, section 4.2), in seconds.
struct CacheFreshness: Sendable, Hashable {
    /// The statuses that allow the cache to estimate the lifetime of a response (RFC 9110, section 15.1).
    static let heuristicStatuses: Set = [200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501]

    /// The time since the response was created or confirmed by the server.
    let age: Int

    /// The total time that the response is fresh.
    let lifetime: Int

    /// The time until the response becomes stale; negative if it is stale already.
    var timeToLive: Int { lifetime - age }

    /// A Boolean value that indicates whether the age is less than the lifetime.
    var isFresh: Bool { age < lifetime }

    /// Calculates age and lifetime.
    ///
    /// - Parameter heuristicLimit: The maximum lifetime that is estimated.
    init(_ head: HttpCacheHead, at now: Date, heuristicLimit: Int) {
        self.init(head, CacheDirectives(head.fields), at: now, heuristicLimit: heuristicLimit)
    }

    init(_ head: HttpCacheHead, _ directives: CacheDirectives, at now: Date, heuristicLimit: Int) {
        let date = Self.date(head.fields, .date, at: head.responseTime) ?? head.responseTime
        let resident = Self.whole(now.timeIntervalSince(head.responseTime))
        // If the clock has been set back, nothing is known about the time that has passed.
        let age =
            resident < -1 ? CacheDirectives.maximumSeconds : Self.initialAge(of: head, date: date) + max(0, resident)
        self.age = min(age, CacheDirectives.maximumSeconds)
        lifetime = Self.lifetime(of: head, directives, date: date, heuristicLimit: heuristicLimit)
    }

    /// Returns the age with which a response was received (RFC 9111, section 4.2.3).
    private static func initialAge(of head: HttpCacheHead, date: Date) -> Int {
        let apparent = max(0, whole(head.responseTime.timeIntervalSince(date)))
        // The first member of an invalid list counts, and an invalid value is ignored (RFC 9111, section 5.1).
        let field = head.fields[values: .age].first?.split(separator: ",").first?.trimmingBlanks()
        let stated = field.flatMap(CacheDirectives.seconds) ?? 0
        let delay = max(0, whole(head.responseTime.timeIntervalSince(head.requestTime)))
        return max(apparent, stated + delay)
    }

    /// Returns the freshness lifetime (RFC 9111, section 4.2.1). `s-maxage` is for shared caches.
    private static func lifetime(
        of head: HttpCacheHead,
        _ directives: CacheDirectives,
        date: Date,
        heuristicLimit: Int
    ) -> Int {
        if let seconds = directives.seconds("max-age") { return seconds }
        let expiries = head.fields[values: .expires]
        if !expiries.isEmpty {
            // An invalid date is in the past (RFC 9111, section 5.3).
            return expiries.map { text in
                HttpDate.parse(text, now: head.responseTime).map { max(0, whole($0.timeIntervalSince(date))) } ?? 0
            }.min() ?? 0
        }
        guard heuristicStatuses.contains(head.status) || directives.contains("public"),
            let modified = Self.date(head.fields, .lastModified, at: head.responseTime)
        else { return 0 }
        return min(heuristicLimit, max(0, whole(date.timeIntervalSince(modified) / 10)))
    }

    /// Returns the date in a field; `nil` if there is none or it is invalid.
    static func date(_ fields: HTTPFields, _ name: HTTPField.Name, at now: Date) -> Date? {
        fields[values: name].first.flatMap { HttpDate.parse($0, now: now) }
    }

    /// Returns an interval in whole seconds, within the limits of a duration.
    private static func whole(_ interval: TimeInterval) -> Int {
        let limit = TimeInterval(CacheDirectives.maximumSeconds)
        return Int(min(max(interval, -limit), limit).rounded(.down))
    }
}

extension HttpCacheHead {
    /// Returns the age of the response and the time until it becomes stale, in seconds. The time is negative if the response is stale
    /// already.
    ///
    /// - Parameter heuristicLimit: The maximum lifetime that is estimated. The default is the same as in ``HttpCache``.
    package func freshness(at date: Date, heuristicLimit: Int = 86_400) -> (age: Int, timeToLive: Int) {
        let freshness = CacheFreshness(self, at: date, heuristicLimit: heuristicLimit)
        return (freshness.age, freshness.timeToLive)
    }
}
