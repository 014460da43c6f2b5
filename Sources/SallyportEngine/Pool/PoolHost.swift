import DequeModule

/// The connections of one host, and those who wait for a place on one.
struct PoolHost<Member, Waiter> {
    fileprivate struct Entry {
        let member: Member
        let isShared: Bool
        var places: Int
        var used = 0
        /// Whether nobody is given a place on it any more.
        var isRetired = false
        /// Where it stands among the free ones.
        var freeIndex: Int?

        var hasPlace: Bool { !isRetired && used < places }
        var isIdle: Bool { !isRetired && used == 0 }
    }

    private var entries: [ObjectIdentifier: Entry] = [:]
    /// Those with a free place, the most recently used last; `nil` where one was taken from between, never at the end.
    private var free: [ObjectIdentifier?] = []
    private var gaps = 0
    private var sharedCount = 0
    var waiting: Deque<Waiter> = []
    var opening = 0
    var isInLine = false

    var count: Int { entries.count + opening }
    var members: [Member] { entries.values.map(\.member) }
    var isUnused: Bool { count == 0 && waiting.isEmpty && !isInLine }

    /// Whether there is a connection that several share: those who wait, wait for a place on it.
    var hasShared: Bool { sharedCount > 0 }

    var hasIdle: Bool { free.contains { $0.map(isIdle) ?? false } }

    mutating func add(_ member: Member, isShared: Bool, places: Int) {
        entries[identity(member)] = Entry(member: member, isShared: isShared, places: places)
        if isShared { sharedCount += 1 }
        refresh(identity(member))
    }

    mutating func remove(_ member: Member) -> Bool {
        let id = identity(member)
        leaveFree(id)
        guard let entry = entries.removeValue(forKey: id) else { return false }
        if entry.isShared, !entry.isRetired { sharedCount -= 1 }
        return true
    }

    // MARK: Places

    /// Takes a place on the connection that was used last; of the last few, rather on one that is preferred.
    mutating func take(preferring isPreferred: ((Member) -> Bool)? = nil) -> Member? {
        guard case let last?? = free.last else { return nil }
        guard let isPreferred else { return take(last) }
        let near = free.suffix(8).reversed().lazy.compactMap(\.self)
        return take(near.first { id in entries[id].map { isPreferred($0.member) } ?? false } ?? last)
    }

    /// Takes a place on a connection, if it has one.
    mutating func take(_ member: Member) -> Bool {
        take(identity(member)) != nil
    }

    private mutating func take(_ id: ObjectIdentifier) -> Member? {
        guard let entry = entries[id], entry.hasPlace else { return nil }
        entries[id]?.used += 1
        if entry.used + 1 == entry.places { refresh(id) }
        return entry.member
    }

    mutating func giveBack(_ member: Member) {
        let id = identity(member)
        guard let entry = entries[id] else { return }
        entries[id]?.used -= 1
        if entry.used >= entry.places { refresh(id) }
    }

    mutating func resize(_ member: Member, places: Int) {
        entries[identity(member)]?.places = max(1, places)
        refresh(identity(member))
    }

    mutating func retire(_ member: Member) {
        guard let entry = entries[identity(member)], !entry.isRetired else { return }
        entries[identity(member)]?.isRetired = true
        if entry.isShared { sharedCount -= 1 }
        leaveFree(identity(member))
    }

    // MARK: Idle ones

    /// Retires a connection if it carries nothing.
    mutating func takeIdle(_ member: Member) -> Bool {
        guard isIdle(identity(member)) else { return false }
        retire(member)
        return true
    }

    mutating func takeAnyIdle() -> Member? {
        guard case let id?? = free.last(where: { $0.map(isIdle) ?? false }), let entry = entries[id] else { return nil }
        retire(entry.member)
        return entry.member
    }

    mutating func takeAllIdle() -> [Member] {
        var taken: [Member] = []
        while let member = takeAnyIdle() { taken.append(member) }
        return taken
    }

    private func isIdle(_ id: ObjectIdentifier) -> Bool { entries[id]?.isIdle ?? false }

    /// Puts a connection among the free ones, or takes it from there, as its places are.
    private mutating func refresh(_ id: ObjectIdentifier) {
        leaveFree(id)
        guard entries[id]?.hasPlace == true else { return }
        entries[id]?.freeIndex = free.count
        free.append(id)
    }

    /// Takes as long for one of many thousands as for one of two.
    private mutating func leaveFree(_ id: ObjectIdentifier) {
        guard let index = entries[id]?.freeIndex else { return }
        entries[id]?.freeIndex = nil
        free[index] = nil
        gaps += 1
        while case .some(nil) = free.last {
            free.removeLast()
            gaps -= 1
        }
        if gaps > 8, gaps > free.count / 2 { closeGaps() }
    }

    private mutating func closeGaps() {
        free.removeAll { $0 == nil }
        gaps = 0
        for (index, id) in free.enumerated() {
            if let id { entries[id]?.freeIndex = index }
        }
    }

    /// Members are objects; they are told apart by what they are, not by what they say.
    private func identity(_ member: Member) -> ObjectIdentifier { ObjectIdentifier(member as AnyObject) }
}

extension PoolHost: Sendable where Member: Sendable, Waiter: Sendable {}
extension PoolHost.Entry: Sendable where Member: Sendable {}
