import Foundation

/// Entries that end by themselves, and at most so many of them: the oldest goes where there is no room.
struct ExpiringTable<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Entry: Sendable {
        var value: Value
        var end: Date
        let serial: Int
    }

    private let limit: Int
    private var entries: [Key: Entry] = [:]
    /// The keys in order of insertion; a key whose serial is another has been replaced since.
    private var order: [(key: Key, serial: Int)] = []
    private var start = 0
    private var serial = 0
    /// The serial at which all entries were looked through last.
    private var swept = 0

    init(limit: Int) {
        self.limit = limit
    }

    /// How many entries there are, ended ones that nobody has asked for included.
    var count: Int { entries.count }

    /// Keeps a value until a moment.
    mutating func insert(_ value: Value, for key: Key, until end: Date, now: Date) {
        makeRoom(now, evicting: entries[key] == nil)
        add(value, for: key, until: end)
    }

    /// Keeps a value, unless there is one by this key or no room for another.
    mutating func insertNew(_ value: Value, for key: Key, until end: Date, now: Date) -> Bool {
        makeRoom(now, evicting: false)
        guard self.value(for: key, now: now) == nil, entries.count < limit else { return false }
        add(value, for: key, until: end)
        return true
    }

    /// The value, if it has not ended.
    func value(for key: Key, now: Date) -> Value? {
        guard let entry = entries[key], entry.end > now else { return nil }
        return entry.value
    }

    /// Changes a value, if there is one that has not ended.
    @discardableResult
    mutating func update<Result>(_ key: Key, now: Date, _ change: (inout Value) -> Result) -> Result? {
        guard var entry = entries[key], entry.end > now else { return nil }
        let result = change(&entry.value)
        entries[key] = entry
        return result
    }

    /// Lets an entry end at another moment.
    mutating func extend(_ key: Key, until end: Date) {
        entries[key]?.end = end
    }

    @discardableResult
    mutating func remove(_ key: Key) -> Value? {
        entries.removeValue(forKey: key)?.value
    }

    /// Removes what a test is true of.
    mutating func removeAll(where isGone: (Value) -> Bool) {
        entries = entries.filter { !isGone($0.value.value) }
    }

    private mutating func add(_ value: Value, for key: Key, until end: Date) {
        serial += 1
        entries[key] = Entry(value: value, end: end, serial: serial)
        order.append((key, serial))
    }

    /// Drops what has ended from the front; if it has to, also the oldest that has not.
    private mutating func makeRoom(_ now: Date, evicting: Bool) {
        // One that lives long at the front hides those behind it that have ended.
        if entries.count >= limit, serial - swept >= limit / 4 {
            swept = serial
            entries = entries.filter { $0.value.end > now }
        }
        while start < order.count {
            let (key, serial) = order[start]
            if let entry = entries[key], entry.serial == serial {
                guard entry.end <= now || (evicting && entries.count >= limit) else { break }
                entries[key] = nil
            }
            start += 1
        }
        // What was removed or replaced behind a long-lived front would else pile up.
        if start > 64, start > order.count / 2 {
            order.removeFirst(start)
            start = 0
        }
        if order.count - start > 2 * limit + 64 {
            order = order[start...].filter { entries[$0.key]?.serial == $0.serial }
            start = 0
        }
    }
}
