import Foundation

/// The cookies of a jar as a value (RFC 6265bis sections 5.7 and 5.8), in one bucket per domain.
struct CookieStore: Sendable {
    /// The identity of a cookie within its domain.
    private struct Key: Hashable {
        let name: String
        let path: String
        let isHostOnly: Bool

        init(_ cookie: Cookie) {
            name = cookie.name
            path = cookie.path
            isHostOnly = cookie.isHostOnly
        }
    }

    private struct Entry {
        let cookie: Cookie
        /// The tick of the store at creation, which makes the order independent of the clock.
        let creation: UInt64
        var lastAccess: UInt64
    }

    private let maximumPerDomain: Int
    private let maximumTotal: Int
    private var buckets: [String: [Key: Entry]] = [:]
    private var count = 0
    private var tick: UInt64 = 0

    var isEmpty: Bool { count == 0 }

    init(maximumPerDomain: Int, maximumTotal: Int) {
        self.maximumPerDomain = max(0, maximumPerDomain)
        self.maximumTotal = max(0, maximumTotal)
    }

    /// Stores a cookie, which replaces a cookie with the same key and inherits its age. An expired cookie only removes that cookie.
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

    /// Returns a Boolean value that indicates whether a secure cookie with the same name prevents an insecure origin from setting
    /// this one.
    func protectsSecureCookie(from cookie: Cookie, now: Date) -> Bool {
        buckets.contains { domain, bucket in
            let isRelated =
                domain == cookie.domain || CookieHost.isSubdomain(domain, of: cookie.domain)
                || CookieHost.isSubdomain(cookie.domain, of: domain)
            return isRelated
                && bucket.values.contains { entry in
                    entry.cookie.isSecure && entry.cookie.name == cookie.name && !entry.cookie.isExpired(at: now)
                        && CookiePath.matches(cookie.path, cookiePath: entry.cookie.path)
                }
        }
    }

    /// Returns the cookies to send, longer paths first, then older cookies first, and marks them as used.
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
                guard cookie.isSent(to: host, path: path, isSecure: isSecure) else { continue }
                buckets[domain]?[key]?.lastAccess = tick
                found.append(entry)
            }
        }
        return found.sorted(by: CookieStore.isSentBefore).map(\.cookie)
    }

    /// Returns all cookies that have not expired, oldest first.
    func allCookies(now: Date) -> [Cookie] {
        let entries = buckets.values.joined().map(\.value).filter { !$0.cookie.isExpired(at: now) }
        return entries.sorted { $0.creation < $1.creation }.map(\.cookie)
    }

    @discardableResult
    private mutating func remove(_ key: Key, from domain: String) -> Entry? {
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

extension CookieStore {
    /// Restores the limits after an insertion into `domain` (RFC 6265bis section 5.7): removes expired cookies first, then cookies
    /// of the domain, insecure ones first, then cookies of any domain.
    private mutating func evict(from domain: String, now: Date) {
        if size(of: domain) > maximumPerDomain {
            removeAll(in: domain) { $0.isExpired(at: now) }
            while size(of: domain) > maximumPerDomain {
                let oldest =
                    leastRecentlyUsed(in: domain) { !$0.isSecure } ?? leastRecentlyUsed(in: domain) { _ in true }
                guard let oldest else { break }
                remove(Key(oldest.cookie), from: domain)
            }
        }
        if count > maximumTotal {
            removeAll { $0.isExpired(at: now) }
            while count > maximumTotal, let oldest = leastRecentlyUsed() {
                remove(Key(oldest.cookie), from: oldest.cookie.domain)
            }
        }
    }

    private func size(of domain: String) -> Int {
        buckets[domain]?.count ?? 0
    }

    private func leastRecentlyUsed(in domain: String, where isCandidate: (Cookie) -> Bool) -> Entry? {
        buckets[domain]?.values.filter { isCandidate($0.cookie) }.min(by: CookieStore.isLessRecentlyUsed)
    }

    private func leastRecentlyUsed() -> Entry? {
        buckets.values.lazy.compactMap { $0.values.min(by: CookieStore.isLessRecentlyUsed) }
            .min(by: CookieStore.isLessRecentlyUsed)
    }

    private static func isLessRecentlyUsed(_ one: Entry, _ other: Entry) -> Bool {
        (one.lastAccess, one.creation) < (other.lastAccess, other.creation)
    }
}
