import Foundation

/// The cookies of a jar as a plain value (RFC 6265bis sections 5.7 and 5.8), in one bucket for each domain.
struct CookieStore: Sendable {
    /// What tells two cookies of one domain apart.
    struct Key: Hashable {
        let name: String
        let path: String
        let isHostOnly: Bool

        init(_ cookie: Cookie) {
            name = cookie.name
            path = cookie.path
            isHostOnly = cookie.isHostOnly
        }
    }

    struct Entry {
        let cookie: Cookie
        /// Counts ticks of the store, so that order never depends on the clock.
        let creation: UInt64
        var lastAccess: UInt64
    }

    let maximumPerDomain: Int
    let maximumInAll: Int
    var buckets: [String: [Key: Entry]] = [:]
    var count = 0
    private var tick: UInt64 = 0

    var isEmpty: Bool { count == 0 }

    init(maximumPerDomain: Int, maximumInAll: Int) {
        self.maximumPerDomain = max(0, maximumPerDomain)
        self.maximumInAll = max(0, maximumInAll)
    }

    /// Stores a cookie in place of its namesake, whose age it keeps. An expired cookie only removes its namesake.
    mutating func insert(_ cookie: Cookie, now: Date) {
        let key = Key(cookie)
        let old = remove(key, from: cookie.domain)
        if cookie.isExpired(at: now) { return }
        tick += 1
        buckets[cookie.domain, default: [:]][key] = Entry(
            cookie: cookie.expiring(by: now.addingTimeInterval(Cookie.maximumLifetime)),
            creation: old?.creation ?? tick,
            lastAccess: tick
        )
        count += 1
        evict(from: cookie.domain, now: now)
    }

    /// Whether a secure cookie of the same name stands where an insecure origin would put this one.
    func protectsSecureCookie(from cookie: Cookie, now: Date) -> Bool {
        buckets.contains { domain, bucket in
            let isRelated =
                domain == cookie.domain || CookieHost.isBelow(domain, cookie.domain)
                || CookieHost.isBelow(cookie.domain, domain)
            return isRelated
                && bucket.values.contains { entry in
                    entry.cookie.isSecure && entry.cookie.name == cookie.name && !entry.cookie.isExpired(at: now)
                        && CookiePath.matches(cookie.path, cookiePath: entry.cookie.path)
                }
        }
    }

    /// The cookies to send, longer paths first and then older cookies first. Counts as a use of each.
    mutating func cookies(for host: CookieHost, path: String, isSecure: Bool, now: Date) -> [Cookie] {
        tick += 1
        var found: [Entry] = []
        for domain in host.domains.map(String.init) {
            guard let bucket = buckets[domain] else { continue }
            for (key, entry) in bucket {
                let cookie = entry.cookie
                if cookie.isExpired(at: now) {
                    remove(key, from: domain)
                    continue
                }
                if cookie.isHostOnly && domain != host.name || cookie.isSecure && !isSecure { continue }
                guard CookiePath.matches(path, cookiePath: cookie.path) else { continue }
                buckets[domain]?[key]?.lastAccess = tick
                found.append(entry)
            }
        }
        return found.sorted(by: CookieStore.isSentBefore).map(\.cookie)
    }

    /// Every cookie that has not expired, oldest first.
    func allCookies(now: Date) -> [Cookie] {
        let entries = buckets.values.joined().map(\.value).filter { !$0.cookie.isExpired(at: now) }
        return entries.sorted { $0.creation < $1.creation }.map(\.cookie)
    }

    @discardableResult
    mutating func remove(_ key: Key, from domain: String) -> Entry? {
        guard let old = buckets[domain]?.removeValue(forKey: key) else { return nil }
        if buckets[domain]?.isEmpty == true { buckets[domain] = nil }
        count -= 1
        return old
    }

    mutating func removeAll(in domain: String? = nil, where shouldRemove: (Cookie) -> Bool) {
        let searched = domain.map { [$0: buckets[$0] ?? [:]] } ?? buckets
        for (domain, bucket) in searched {
            for (key, entry) in bucket where shouldRemove(entry.cookie) {
                remove(key, from: domain)
            }
        }
    }

    private static func isSentBefore(_ one: Entry, _ other: Entry) -> Bool {
        let (length, otherLength) = (one.cookie.path.utf8.count, other.cookie.path.utf8.count)
        return length == otherLength ? one.creation < other.creation : length > otherLength
    }
}
