import DequeModule

/// Who gets which connection, decided without waiting for anything.
///
/// Each change returns what is to be done once the lock is released. Waiting exchanges are served in the order in which
/// they came, by host; and hosts that wait for the total limit, in the order in which they began to.
struct PoolState<Key: Hashable, Member, Waiter> {
    enum Action {
        case run(Waiter, on: Member)
        case open(Key, for: Waiter)
        case close(Member)
    }

    fileprivate struct Host {
        var idle: [Member] = []
        var open: [ObjectIdentifier: Member] = [:]
        var opening = 0
        var waiting: Deque<Waiter> = []
        var isInLine = false

        var count: Int { open.count + opening }
        var isUnused: Bool { count == 0 && waiting.isEmpty && !isInLine }
        var wantsMore: Bool { opening < waiting.count }
    }

    private let perHost: Int
    private let total: Int
    private var hosts: [Key: Host] = [:]
    private(set) var count = 0
    /// Hosts that could open a connection if the total allowed it.
    private var line: Deque<Key> = []
    private(set) var isDraining = false

    init(perHost: Int, total: Int) {
        self.perHost = max(1, perHost)
        self.total = max(1, total)
    }

    // MARK: Exchanges come and go

    mutating func submit(_ waiter: Waiter, to key: Key) -> [Action] {
        if hosts[key]?.waiting.isEmpty ?? true, let member = hosts[key]?.idle.popLast() {
            return [.run(waiter, on: member)]
        }
        hosts[key, default: Host()].waiting.append(waiter)
        return openIfPossible(key)
    }

    /// Submits an exchange whose connection was found dead: those that have been idle may well be dead too.
    mutating func submitAgain(_ waiter: Waiter, to key: Key) -> [Action] {
        let suspects = hosts[key]?.idle ?? []
        hosts[key]?.idle = []
        return suspects.map { .close($0) } + submit(waiter, to: key)
    }

    /// Takes those out of the queues that match, such as those that have waited too long.
    mutating func removeWaiting(where matches: (Waiter) -> Bool) -> [Waiter] {
        var removed: [Waiter] = []
        for key in Array(hosts.keys) {
            removed += hosts[key]?.waiting.filter(matches) ?? []
            hosts[key]?.waiting.removeAll(where: matches)
            forgetIfUnused(key)
        }
        return removed
    }

    /// Takes an exchange that has ended out of its queue.
    ///
    /// - Returns: Whether more connections are now being opened than are waited for.
    mutating func giveUp(to key: Key, where matches: (Waiter) -> Bool) -> Bool {
        guard let host = hosts[key] else { return false }
        hosts[key]?.waiting.removeAll(where: matches)
        forgetIfUnused(key)
        return host.opening > hosts[key]?.waiting.count ?? 0
    }

    var waiting: some Sequence<Waiter> { hosts.values.lazy.flatMap(\.waiting) }

    // MARK: Connections come and go

    mutating func opened(_ member: Member, to key: Key) -> [Action] {
        hosts[key]?.opening -= 1
        let id = identity(member)
        hosts[key]?.open[id] = member
        return use(member, of: key)
    }

    /// An attempt was given up. If it succeeds all the same, its connection is not the pool's.
    mutating func attemptWithdrawn(to key: Key) -> [Action] {
        hosts[key]?.opening -= 1
        count -= 1
        return afterLeaving(key)
    }

    /// - Parameter isOwner: Tells the exchange for which the attempt was made, and by whose limits.
    /// - Returns: That exchange, which fails with the attempt if it still waits, and what follows: others get attempts
    ///   of their own.
    mutating func openingFailed(to key: Key, of isOwner: (Waiter) -> Bool) -> (failed: Waiter?, actions: [Action]) {
        hosts[key]?.opening -= 1
        count -= 1
        let index = hosts[key]?.waiting.firstIndex(where: isOwner)
        let failed = index.flatMap { hosts[key]?.waiting.remove(at: $0) }
        return (failed, afterLeaving(key))
    }

    mutating func freed(_ member: Member, of key: Key) -> [Action] {
        use(member, of: key)
    }

    mutating func closed(_ member: Member, of key: Key) -> [Action] {
        let id = identity(member)
        guard hosts[key]?.open.removeValue(forKey: id) != nil else { return [] }
        _ = takeIdle(member, of: key)
        count -= 1
        return afterLeaving(key)
    }

    /// Takes a connection out of the idle ones, so that nobody will be given it.
    mutating func takeIdle(_ member: Member, of key: Key) -> Bool {
        guard let index = hosts[key]?.idle.firstIndex(where: { identity($0) == identity(member) }) else { return false }
        hosts[key]?.idle.remove(at: index)
        return true
    }

    // MARK: Closing

    /// Keeps no idle connection from now on.
    ///
    /// - Returns: The connections that carry nothing.
    mutating func drain() -> [Member] {
        isDraining = true
        let idle = hosts.values.flatMap(\.idle)
        for key in hosts.keys { hosts[key]?.idle = [] }
        return idle
    }

    var members: [Member] { hosts.values.flatMap(\.open.values) }
    var isEmpty: Bool { count == 0 && hosts.values.allSatisfy(\.waiting.isEmpty) }

    // MARK: Within

    private mutating func use(_ member: Member, of key: Key) -> [Action] {
        if let next = hosts[key]?.waiting.popFirst() { return [.run(next, on: member)] }
        // When other hosts wait for a place, this connection makes way for one of theirs.
        if isDraining || nextInLine() != nil { return [.close(member)] }
        hosts[key]?.idle.append(member)
        return []
    }

    private mutating func openIfPossible(_ key: Key) -> [Action] {
        guard let host = hosts[key], host.wantsMore, host.count < perHost else { return [] }
        // Those before it have attempts of their own.
        let waiter = host.waiting[host.opening]
        if count < total {
            count += 1
            hosts[key]?.opening += 1
            return [.open(key, for: waiter)]
        }
        if !host.isInLine {
            hosts[key]?.isInLine = true
            line.append(key)
        }
        return idleOfAnyHost().map { [.close($0)] } ?? []
    }

    private mutating func idleOfAnyHost() -> Member? {
        for key in hosts.keys {
            if let member = hosts[key]?.idle.popLast() { return member }
        }
        return nil
    }

    /// The host that has waited longest for the total limit and still has a use for a connection.
    private mutating func nextInLine() -> Key? {
        while let key = line.first {
            if let host = hosts[key], host.wantsMore, host.count < perHost { return key }
            hosts[key]?.isInLine = false
            line.removeFirst()
            forgetIfUnused(key)
        }
        return nil
    }

    /// A place has become free: it goes to the first in line, who then lines up again, before the same host.
    private mutating func afterLeaving(_ key: Key) -> [Action] {
        defer { forgetIfUnused(key) }
        guard let next = nextInLine() else { return openIfPossible(key) }
        line.append(line.removeFirst())
        return openIfPossible(next) + openIfPossible(key)
    }

    /// Members are objects; they are told apart by what they are, not by what they say.
    private func identity(_ member: Member) -> ObjectIdentifier { ObjectIdentifier(member as AnyObject) }

    private mutating func forgetIfUnused(_ key: Key) {
        if hosts[key]?.isUnused == true { hosts[key] = nil }
    }
}

extension PoolState: Sendable where Key: Sendable, Member: Sendable, Waiter: Sendable {}
extension PoolState.Host: Sendable where Key: Sendable, Member: Sendable, Waiter: Sendable {}
extension PoolState.Action: Sendable where Key: Sendable, Member: Sendable, Waiter: Sendable {}
