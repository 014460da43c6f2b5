import Foundation

/// A table of bounded size whose entries expire.
///
/// Each entry has an owner, such as a client and a user. When the table is full, the oldest entries of the owners with the most
/// entries are removed. An owner with many entries can therefore not displace the entries of others.
struct ExpiringTable<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Entry: Sendable {
        var value: Value
        var end: Date
        let owner: String
        /// The number of insertions up to this one.
        let serial: Int
    }

    private let limit: Int
    private let share: Int
    private let owner: @Sendable (Key, Value) -> String
    private var entries: [Key: Entry] = [:]
    /// The number of entries of each owner.
    private var counts: [String: Int] = [:]
    private var serial = 0
    /// The number of insertions at the last removal of expired entries, and the time of that removal.
    private var swept = (serial: 0, time: Date.distantPast)

    /// Creates an empty table.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of entries.
    ///   - share: The maximum number of entries of one owner for ``insertNew(_:for:until:now:)``; by default the limit.
    ///   - owner: A closure that returns the owner of an entry; by default, all entries have the same owner.
    init(limit: Int, share: Int? = nil, owner: @escaping @Sendable (Key, Value) -> String = { _, _ in "" }) {
        self.limit = limit
        self.share = share ?? limit
        self.owner = owner
    }

    /// The number of entries, which may include expired ones.
    var count: Int { entries.count }

    /// Stores a value until a time, replacing the value of the same key.
    mutating func insert(_ value: Value, for key: Key, until end: Date, now: Date) {
        remove(key)
        removeEnded(now, isNeeded: entries.count >= limit)
        if entries.count >= limit { evict() }
        add(value, for: key, owner: owner(key, value), until: end)
    }

    /// Stores a value until a time, unless its key is in use, the table is full, or the owner's share is used up.
    ///
    /// - Returns: `true` if the value was stored.
    mutating func insertNew(_ value: Value, for key: Key, until end: Date, now: Date) -> Bool {
        let owner = owner(key, value)
        removeEnded(now, isNeeded: isFull(for: owner))
        guard self.value(for: key, now: now) == nil, !isFull(for: owner) else { return false }
        remove(key)
        add(value, for: key, owner: owner, until: end)
        return true
    }

    /// Returns the value of a key, if it has not expired.
    func value(for key: Key, now: Date) -> Value? {
        guard let entry = entries[key], entry.end > now else { return nil }
        return entry.value
    }

    /// Returns the keys of the values that satisfy a predicate, and may include expired ones.
    func keys(where isIncluded: (Value) -> Bool) -> [Key] {
        entries.compactMap { isIncluded($1.value) ? $0 : nil }
    }

    /// Changes the value of a key, if it has not expired. The change must not affect its owner.
    @discardableResult
    mutating func update<Result>(_ key: Key, now: Date, _ change: (inout Value) -> Result) -> Result? {
        guard var entry = entries[key], entry.end > now else { return nil }
        let result = change(&entry.value)
        entries[key] = entry
        return result
    }

    /// Sets the expiry of an entry.
    mutating func extend(_ key: Key, until end: Date) {
        entries[key]?.end = end
    }

    /// Removes an entry, and returns its value.
    @discardableResult
    mutating func remove(_ key: Key) -> Value? {
        guard let entry = entries.removeValue(forKey: key) else { return nil }
        let count = counts[entry.owner, default: 1] - 1
        counts[entry.owner] = count > 0 ? count : nil
        return entry.value
    }

    /// Removes the entries whose values satisfy a predicate.
    mutating func removeAll(where isGone: (Value) -> Bool) {
        for (key, entry) in entries where isGone(entry.value) { remove(key) }
    }

    /// Removes all expired entries immediately, for values that should not remain in memory.
    mutating func removeExpired(now: Date) {
        for (key, entry) in entries where entry.end <= now { remove(key) }
    }

    private func isFull(for owner: String) -> Bool {
        entries.count >= limit || counts[owner, default: 0] >= share
    }

    private mutating func add(_ value: Value, for key: Key, owner: String, until end: Date) {
        serial += 1
        entries[key] = Entry(value: value, end: end, owner: owner, serial: serial)
        counts[owner, default: 0] += 1
    }

    /// Removes expired entries after every `limit / 4` insertions and, if space is needed, at most once a second.
    private mutating func removeEnded(_ now: Date, isNeeded: Bool) {
        let isDue = serial - swept.serial >= max(limit / 4, 1)
        guard isDue || isNeeded && now >= swept.time + 1 else { return }
        swept = (serial, now)
        removeExpired(now: now)
    }

    /// Frees a sixteenth of the table.
    ///
    /// An owner's newest entry has rank 1, the one before it rank 2, and so on. The entries with the highest ranks are
    /// removed first, and the oldest among equal ranks.
    private mutating func evict() {
        var ranks: [String: Int] = [:]
        let newestFirst = entries.sorted { $0.value.serial > $1.value.serial }
        let ranked = newestFirst.map { key, entry in
            ranks[entry.owner, default: 0] += 1
            return (key: key, rank: ranks[entry.owner, default: 0], serial: entry.serial)
        }
        let excess = entries.count - limit + max(limit / 16, 1)
        for entry in ranked.sorted(by: { ($0.rank, $1.serial) > ($1.rank, $0.serial) }).prefix(excess) {
            remove(entry.key)
        }
    }
}
