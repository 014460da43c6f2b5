import Foundation

extension CookieStore {
    /// Brings the store back within its limits after an insertion into `domain` (RFC 6265bis section 5.7): expired
    /// cookies go first, then the domain's surplus, those not secure first, then the surplus in all.
    mutating func evict(from domain: String, now: Date) {
        if size(of: domain) > maximumPerDomain {
            removeAll(in: domain) { $0.isExpired(at: now) }
            while size(of: domain) > maximumPerDomain {
                let oldest =
                    leastRecentlyUsed(in: domain) { !$0.isSecure } ?? leastRecentlyUsed(in: domain) { _ in true }
                guard let oldest else { break }
                remove(Key(oldest.cookie), from: domain)
            }
        }
        if count > maximumInAll {
            removeAll { $0.isExpired(at: now) }
            while count > maximumInAll, let oldest = leastRecentlyUsed() {
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
