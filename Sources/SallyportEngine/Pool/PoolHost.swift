import DequeModule

/// The record that a pool keeps of a connection: its host, its capacity and its use.
///
/// The connection owns it and passes it to the pool with each event, so that the pool need not look it up. It refers to
/// the connection only while that is in the pool.
// Sendable although it is mutable: its variables are changed in this file only, by the mutating functions of a host,
// and the lock that protects the pool's state protects them too. A connection must not use them.
final class PoolEntry<Member: Sendable>: @unchecked Sendable {
    /// The identity of the event loop that the connection runs on.
    fileprivate let eventLoop: ObjectIdentifier?
    /// The connection; `nil` if it is not in the pool.
    fileprivate(set) var member: Member?
    /// The index of the host in the pool; `nil` if the connection is not in the pool.
    fileprivate(set) var host: Int?

    fileprivate var isShared = false
    fileprivate var capacity = 1
    fileprivate var used = 0
    /// A Boolean value that indicates whether the connection accepts no more exchanges.
    fileprivate var isRetired = false
    /// The index in the host's `entries`.
    fileprivate var index = 0
    /// The index in the host's `available`.
    fileprivate var availableIndex: Int?

    init(eventLoop: ObjectIdentifier? = nil) {
        self.eventLoop = eventLoop
    }

    fileprivate var isAvailable: Bool { !isRetired && used < capacity }
    fileprivate var isIdle: Bool { !isRetired && used == 0 }
}

/// The connections of one host, and the exchanges that wait for one.
///
/// A connection has a capacity, the number of exchanges that it can run at a time. It is available while fewer run.
struct PoolHost<Key, Member: Sendable, Waiter> {
    typealias Entry = PoolEntry<Member>

    let key: Key
    private var entries: [Entry] = []
    /// The available connections, the most recently used last. A removed connection leaves a gap (`nil`), except at the
    /// end.
    private var available: [Entry?] = []
    private var gaps = 0
    private var sharedCount = 0
    var waiting: Deque<Waiter> = []
    var opening = 0
    var isQueued = false

    init(_ key: Key) {
        self.key = key
    }

    var count: Int { entries.count + opening }
    var members: [Member] { entries.compactMap(\.member) }
    var isUnused: Bool { count == 0 && waiting.isEmpty && !isQueued }

    /// A Boolean value that indicates whether there is a shared connection, which the waiting exchanges then wait for.
    var hasShared: Bool { sharedCount > 0 }

    var hasIdle: Bool { available.contains { $0?.isIdle ?? false } }

    /// Adds a connection.
    ///
    /// - Parameter index: The index of this host in the pool.
    mutating func add(_ member: Member, as entry: Entry, at index: Int, isShared: Bool, capacity: Int) {
        entry.member = member
        entry.host = index
        entry.isShared = isShared
        entry.capacity = capacity
        entry.index = entries.count
        entries.append(entry)
        if isShared { sharedCount += 1 }
        refresh(entry)
    }

    /// Removes a closed connection.
    ///
    /// - Returns: The number of exchanges that ran on it.
    mutating func remove(_ entry: Entry) -> Int {
        retire(entry)
        entries[entries.count - 1].index = entry.index
        entries.swapAt(entry.index, entries.count - 1)
        entries.removeLast()
        entry.member = nil
        entry.host = nil
        return entry.used
    }

    // MARK: Capacity

    /// Reserves capacity on the most recently used connection, or on one of the last few that runs on `eventLoop`.
    mutating func acquire(preferring eventLoop: ObjectIdentifier?) -> Member? {
        guard case let last?? = available.last else { return nil }
        guard let eventLoop else { return acquire(last) }
        for case let entry? in available.suffix(8).reversed() where entry.eventLoop == eventLoop {
            return acquire(entry)
        }
        return acquire(last)
    }

    /// Reserves capacity on a connection, if it is available.
    mutating func acquire(_ entry: Entry) -> Member? {
        guard entry.isAvailable else { return nil }
        entry.used += 1
        if entry.used == entry.capacity { removeFromAvailable(entry) }
        return entry.member
    }

    mutating func release(_ entry: Entry) {
        let wasAvailable = entry.isAvailable
        entry.used -= 1
        if !wasAvailable { refresh(entry) }
    }

    mutating func resize(_ entry: Entry, capacity: Int) {
        entry.capacity = max(1, capacity)
        refresh(entry)
    }

    mutating func retire(_ entry: Entry) {
        guard !entry.isRetired else { return }
        entry.isRetired = true
        if entry.isShared { sharedCount -= 1 }
        removeFromAvailable(entry)
    }

    // MARK: Idle connections

    /// Retires a connection if it is idle, and returns it.
    mutating func takeIdle(_ entry: Entry) -> Member? {
        guard entry.isIdle else { return nil }
        retire(entry)
        return entry.member
    }

    mutating func takeAnyIdle() -> Member? {
        guard case let entry?? = available.last(where: { $0?.isIdle ?? false }) else { return nil }
        return takeIdle(entry)
    }

    mutating func takeAllIdle() -> [Member] {
        var taken: [Member] = []
        while let member = takeAnyIdle() { taken.append(member) }
        return taken
    }

    /// Adds a connection to the available ones as the most recently used, or removes it, depending on its capacity.
    private mutating func refresh(_ entry: Entry) {
        removeFromAvailable(entry)
        guard entry.isAvailable else { return }
        entry.availableIndex = available.count
        available.append(entry)
    }

    /// Removes a connection from the available ones. Runs in amortized constant time.
    private mutating func removeFromAvailable(_ entry: Entry) {
        guard let index = entry.availableIndex else { return }
        entry.availableIndex = nil
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
        for (index, entry) in available.enumerated() { entry?.availableIndex = index }
    }
}

extension PoolHost: Sendable where Key: Sendable, Waiter: Sendable {}
