import DequeModule

/// Who gets which connection, decided without waiting for anything.
///
/// A connection has places: one on HTTP/1.1, many on HTTP/2. Each change returns what is to be done once the lock is
/// released. Waiting exchanges are served in the order in which they came, by host; and hosts that wait for the total
/// limit, in the order in which they began to.
struct PoolState<Key: Hashable & SendableMetatype, Member, Waiter> {
    enum Action {
        case run(Waiter, on: Member)
        case open(Key, for: Waiter)
        case close(Member)
    }

    private let perHost: Int
    private let total: Int
    private let expectsSharing: @Sendable (Key) -> Bool
    private var hosts: [Key: PoolHost<Member, Waiter>] = [:]
    /// Hosts whose connections were expected to have many places, and have one.
    private var unshared: Set<Key> = []
    private(set) var count = 0
    /// Hosts that could open a connection if the total allowed it.
    private var line: Deque<Key> = []
    private(set) var isDraining = false

    /// - Parameter expectsSharing: Whether a host's first connection is likely to have a place for all that wait.
    init(perHost: Int, total: Int, expectsSharing: @escaping @Sendable (Key) -> Bool = { _ in false }) {
        self.perHost = max(1, perHost)
        self.total = max(1, total)
        self.expectsSharing = expectsSharing
    }

    // MARK: Exchanges come and go

    /// - Parameter isPreferred: Which of several connections with a free place is rather taken.
    mutating func submit(_ waiter: Waiter, to key: Key, preferring isPreferred: ((Member) -> Bool)? = nil) -> [Action] {
        if hosts[key]?.waiting.isEmpty ?? true, let member = hosts[key]?.take(preferring: isPreferred) {
            return [.run(waiter, on: member)]
        }
        hosts[key, default: PoolHost()].waiting.append(waiter)
        return openAsNeeded(key)
    }

    /// Submits an exchange whose connection was found dead: those that have been idle may well be dead too.
    mutating func submitAgain(_ waiter: Waiter, to key: Key) -> [Action] {
        let suspects = hosts[key]?.takeAllIdle() ?? []
        return suspects.map { .close($0) } + submit(waiter, to: key)
    }

    /// Takes those out of the queues that match, such as those that have waited too long.
    mutating func removeWaiting(where matches: (Waiter) -> Bool) -> [Waiter] {
        var removed: [Waiter] = []
        for key in hosts.filter({ !$0.value.waiting.isEmpty }).keys {
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
        guard let opening = hosts[key]?.opening else { return false }
        if let index = hosts[key]?.waiting.firstIndex(where: matches) { hosts[key]?.waiting.remove(at: index) }
        forgetIfUnused(key)
        return opening > hosts[key]?.waiting.count ?? 0
    }

    var waiting: some Sequence<Waiter> { hosts.values.lazy.flatMap(\.waiting) }

    // MARK: Connections come and go

    /// - Parameter isShared: Whether it may have more places than one, if not now.
    mutating func opened(_ member: Member, to key: Key, isShared: Bool = false, places: Int = 1) -> [Action] {
        if isShared { unshared.remove(key) } else { noteUnshared(key) }
        hosts[key]?.opening -= 1
        hosts[key]?.add(member, isShared: isShared, places: places)
        return serve(on: member, of: key) + openAsNeeded(key)
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
        noteUnshared(key)
        hosts[key]?.opening -= 1
        count -= 1
        let index = hosts[key]?.waiting.firstIndex(where: isOwner)
        let failed = index.flatMap { hosts[key]?.waiting.remove(at: $0) }
        return (failed, afterLeaving(key))
    }

    /// One of the connection's places is free again.
    mutating func freed(_ member: Member, of key: Key) -> [Action] {
        hosts[key]?.giveBack(member)
        return serve(on: member, of: key)
    }

    /// The connection has another number of places than before.
    mutating func resized(_ member: Member, of key: Key, places: Int) -> [Action] {
        hosts[key]?.resize(member, places: places)
        return serve(on: member, of: key)
    }

    /// The connection takes no more exchanges, and ends when those that it carries have.
    mutating func retired(_ member: Member, of key: Key) -> [Action] {
        hosts[key]?.retire(member)
        return openAsNeeded(key)
    }

    mutating func closed(_ member: Member, of key: Key) -> [Action] {
        guard hosts[key]?.remove(member) == true else { return [] }
        count -= 1
        return afterLeaving(key)
    }

    /// Takes a connection that carries nothing out of use, so that nobody will be given it.
    mutating func takeIdle(_ member: Member, of key: Key) -> Bool {
        hosts[key]?.takeIdle(member) ?? false
    }

    // MARK: Closing

    /// Keeps no idle connection from now on.
    ///
    /// - Returns: The connections that carry nothing.
    mutating func drain() -> [Member] {
        isDraining = true
        return hosts.keys.flatMap { key in hosts[key]?.takeAllIdle() ?? [] }
    }

    var members: [Member] { hosts.values.flatMap(\.members) }
    var isEmpty: Bool { count == 0 && hosts.values.allSatisfy(\.waiting.isEmpty) }

    // MARK: Within

    /// Gives a connection's free places to those who wait.
    private mutating func serve(on member: Member, of key: Key) -> [Action] {
        var actions: [Action] = []
        while hosts[key]?.waiting.isEmpty == false, hosts[key]?.take(member) == true,
            let next = hosts[key]?.waiting.popFirst()
        {
            actions.append(.run(next, on: member))
        }
        // When other hosts wait for a place, this connection makes way for one of theirs.
        if actions.isEmpty, isDraining || nextInLine() != nil, takeIdle(member, of: key) { return [.close(member)] }
        return actions
    }

    private mutating func openAsNeeded(_ key: Key) -> [Action] {
        var actions: [Action] = []
        while case let opening = openIfPossible(key), !opening.isEmpty {
            actions += opening
            if case .close? = opening.last { break }
        }
        return actions
    }

    private func wantsMore(_ key: Key) -> Bool {
        guard let host = hosts[key], host.count < perHost else { return false }
        if host.hasShared { return false }
        let isShared = expectsSharing(key) && !unshared.contains(key)
        return host.opening < (isShared ? min(1, host.waiting.count) : host.waiting.count)
    }

    private mutating func openIfPossible(_ key: Key) -> [Action] {
        guard wantsMore(key), let host = hosts[key] else { return [] }
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
        // Looked for before anything is changed, which would copy all the hosts.
        guard let key = hosts.first(where: { $0.value.hasIdle })?.key else { return nil }
        return hosts[key]?.takeAnyIdle()
    }

    /// The host that has waited longest for the total limit and still has a use for a connection.
    private mutating func nextInLine() -> Key? {
        while let key = line.first {
            if wantsMore(key) { return key }
            hosts[key]?.isInLine = false
            line.removeFirst()
            forgetIfUnused(key)
        }
        return nil
    }

    /// A place has become free: it goes to the first in line, who then lines up again, before the same host.
    private mutating func afterLeaving(_ key: Key) -> [Action] {
        defer { forgetIfUnused(key) }
        guard let next = nextInLine() else { return openAsNeeded(key) }
        line.append(line.removeFirst())
        return openIfPossible(next) + openAsNeeded(key)
    }

    /// The next connections to the host are opened one for each that waits. A bounded memory, as hosts are many.
    private mutating func noteUnshared(_ key: Key) {
        guard expectsSharing(key) else { return }
        if unshared.count >= 1_000 { unshared = [] }
        unshared.insert(key)
    }

    private mutating func forgetIfUnused(_ key: Key) {
        if hosts[key]?.isUnused == true { hosts[key] = nil }
    }
}

extension PoolState: Sendable where Key: Sendable, Member: Sendable, Waiter: Sendable {}
extension PoolState.Action: Sendable where Key: Sendable, Member: Sendable, Waiter: Sendable {}
