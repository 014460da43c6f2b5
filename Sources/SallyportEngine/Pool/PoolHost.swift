import DequeModule

/// The connections of one host, and the exchanges that wait for one.
///
/// A connection has a capacity, the number of exchanges that it can run at a time. It is available while fewer run.
struct PoolHost<Member, Waiter> {
    fileprivate struct Entry {
        let member: Member
        let isShared: Bool
        var capacity: Int
        var used = 0
        /// A Boolean value that indicates whether the connection accepts no more exchanges.
        var isRetired = false
        /// The index in `available`.
        var availableIndex: Int?

        var isAvailable: Bool { !isRetired && used < capacity }
        var isIdle: Bool { !isRetired && used == 0 }
    }

    private var entries: [ObjectIdentifier: Entry] = [:]
    /// The available connections, the most recently used last. A removed connection leaves a gap (`nil`), except at the
    /// end.
    private var available: [ObjectIdentifier?] = []
    private var gaps = 0
    private var sharedCount = 0
    var waiting: Deque<Waiter> = []
    var opening = 0
    var isQueued = false

    var count: Int { entries.count + opening }
    var members: [Member] { entries.values.map(\.member) }
    var isUnused: Bool { count == 0 && waiting.isEmpty && !isQueued }

    /// A Boolean value that indicates whether there is a shared connection, which the waiting exchanges then wait for.
    var hasShared: Bool { sharedCount > 0 }

    var hasIdle: Bool { available.contains { $0.map(isIdle) ?? false } }

    mutating func add(_ member: Member, isShared: Bool, capacity: Int) {
        entries[identity(member)] = Entry(member: member, isShared: isShared, capacity: capacity)
        if isShared { sharedCount += 1 }
        refresh(identity(member))
    }

    mutating func remove(_ member: Member) -> Bool {
        let id = identity(member)
        removeFromAvailable(id)
        guard let entry = entries.removeValue(forKey: id) else { return false }
        if entry.isShared, !entry.isRetired { sharedCount -= 1 }
        return true
    }

    // MARK: Capacity

    /// Reserves capacity on the most recently used connection, or on a preferred one among the last few.
    mutating func acquire(preferring isPreferred: ((Member) -> Bool)? = nil) -> Member? {
        guard case let last?? = available.last else { return nil }
        guard let isPreferred else { return acquire(last) }
        let near = available.suffix(8).reversed().lazy.compactMap(\.self)
        return acquire(near.first { id in entries[id].map { isPreferred($0.member) } ?? false } ?? last)
    }

    /// Reserves capacity on a connection, if it is available.
    mutating func acquire(_ member: Member) -> Bool {
        acquire(identity(member)) != nil
    }

    private mutating func acquire(_ id: ObjectIdentifier) -> Member? {
        guard let entry = entries[id], entry.isAvailable else { return nil }
        entries[id]?.used += 1
        if entry.used + 1 == entry.capacity { refresh(id) }
        return entry.member
    }

    mutating func release(_ member: Member) {
        let id = identity(member)
        guard let entry = entries[id] else { return }
        entries[id]?.used -= 1
        if entry.used >= entry.capacity { refresh(id) }
    }

    mutating func resize(_ member: Member, capacity: Int) {
        entries[identity(member)]?.capacity = max(1, capacity)
        refresh(identity(member))
    }

    mutating func retire(_ member: Member) {
        guard let entry = entries[identity(member)], !entry.isRetired else { return }
        entries[identity(member)]?.isRetired = true
        if entry.isShared { sharedCount -= 1 }
        removeFromAvailable(identity(member))
    }

    // MARK: Idle connections

    /// Retires a connection if it is idle.
    mutating func takeIdle(_ member: Member) -> Bool {
        guard isIdle(identity(member)) else { return false }
        retire(member)
        return true
    }

    mutating func takeAnyIdle() -> Member? {
        guard case let id?? = available.last(where: { $0.map(isIdle) ?? false }), let entry = entries[id] else {
            return nil
        }
        retire(entry.member)
        return entry.member
    }

    mutating func takeAllIdle() -> [Member] {
        var taken: [Member] = []
        while let member = takeAnyIdle() { taken.append(member) }
        return taken
    }

    private func isIdle(_ id: ObjectIdentifier) -> Bool { entries[id]?.isIdle ?? false }

    /// Adds a connection to the available ones as the most recently used, or removes it, depending on its capacity.
    private mutating func refresh(_ id: ObjectIdentifier) {
        removeFromAvailable(id)
        guard entries[id]?.isAvailable == true else { return }
        entries[id]?.availableIndex = available.count
        available.append(id)
    }

    /// Removes a connection from the available ones. Runs in amortized constant time.
    private mutating func removeFromAvailable(_ id: ObjectIdentifier) {
        guard let index = entries[id]?.availableIndex else { return }
        entries[id]?.availableIndex = nil
        available[index] = nil
        gaps += 1
        while case .some(nil) = available.last {
            available.removeLast()
            gaps -= 1
        }
        if gaps > 8, gaps > available.count / 2 { closeGaps() }
    }

    private mutating func closeGaps() {
        available.removeAll { $0 == nil }
        gaps = 0
        for (index, id) in available.enumerated() {
            if let id { entries[id]?.availableIndex = index }
        }
    }

    /// Returns the identity of a member, which is always an object.
    private func identity(_ member: Member) -> ObjectIdentifier { ObjectIdentifier(member as AnyObject) }
}

extension PoolHost: Sendable where Member: Sendable, Waiter: Sendable {}
extension PoolHost.Entry: Sendable where Member: Sendable {}
