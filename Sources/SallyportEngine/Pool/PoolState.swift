import DequeModule

/// Decides which connection runs which exchange. Each change returns the actions to perform after the pool's lock is
/// released.
///
/// A connection has a capacity: one exchange with HTTP/1.1, many with HTTP/2. The waiting exchanges of a host are
/// served in the order of their arrival. Hosts that wait for the total limit are served in the order in which they
/// began to wait.
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
    /// The hosts whose connections were expected to be shared, and are not.
    private var unshared: Set<Key> = []
    private(set) var count = 0
    /// The hosts that would open a connection if the total limit allowed it.
    private var queuedHosts: Deque<Key> = []
    private(set) var isDraining = false

    /// - Parameter expectsSharing: A closure that returns `true` if a host's first connection is likely to run all
    ///   waiting exchanges.
    init(perHost: Int, total: Int, expectsSharing: @escaping @Sendable (Key) -> Bool = { _ in false }) {
        self.perHost = max(1, perHost)
        self.total = max(1, total)
        self.expectsSharing = expectsSharing
    }

    // MARK: Exchanges

    /// Assigns an exchange to a connection, or queues it.
    ///
    /// - Parameter isPreferred: A closure that returns `true` for a connection that is preferred to other available
    ///   ones.
    mutating func submit(_ waiter: Waiter, to key: Key, preferring isPreferred: ((Member) -> Bool)? = nil) -> [Action] {
        if hosts[key]?.waiting.isEmpty ?? true, let member = hosts[key]?.acquire(preferring: isPreferred) {
            return [.run(waiter, on: member)]
        }
        hosts[key, default: PoolHost()].waiting.append(waiter)
        return openAsNeeded(key)
    }

    /// Submits an exchange whose connection was found dead, and closes the host's idle connections, which may be dead
    /// too.
    mutating func submitAgain(_ waiter: Waiter, to key: Key) -> [Action] {
        let suspects = hosts[key]?.takeAllIdle() ?? []
        return suspects.map { .close($0) } + submit(waiter, to: key)
    }

    /// Removes matching exchanges from the queues, such as those whose deadline has passed.
    mutating func removeWaiting(where matches: (Waiter) -> Bool) -> [Waiter] {
        var removed: [Waiter] = []
        for key in hosts.filter({ !$0.value.waiting.isEmpty }).keys {
            removed += hosts[key]?.waiting.filter(matches) ?? []
            hosts[key]?.waiting.removeAll(where: matches)
            forgetIfUnused(key)
        }
        return removed
    }

    /// Removes an exchange that has ended from its queue.
    ///
    /// - Returns: `true` if more connections are now being opened than exchanges wait.
    mutating func giveUp(to key: Key, where matches: (Waiter) -> Bool) -> Bool {
        guard let opening = hosts[key]?.opening else { return false }
        if let index = hosts[key]?.waiting.firstIndex(where: matches) { hosts[key]?.waiting.remove(at: index) }
        forgetIfUnused(key)
        return opening > hosts[key]?.waiting.count ?? 0
    }

    var waiting: some Sequence<Waiter> { hosts.values.lazy.flatMap(\.waiting) }

    // MARK: Connections

    /// Adds an opened connection.
    ///
    /// - Parameter isShared: A Boolean value that indicates whether the capacity may exceed one now or later.
    mutating func opened(_ member: Member, to key: Key, isShared: Bool = false, capacity: Int = 1) -> [Action] {
        if isShared { unshared.remove(key) } else { recordUnshared(key) }
        hosts[key]?.opening -= 1
        hosts[key]?.add(member, isShared: isShared, capacity: capacity)
        return serve(on: member, of: key) + openAsNeeded(key)
    }

    /// Removes a cancelled attempt. If it succeeds nevertheless, its connection is not added to the pool.
    mutating func attemptWithdrawn(to key: Key) -> [Action] {
        hosts[key]?.opening -= 1
        count -= 1
        return afterLeaving(key)
    }

    /// Removes a failed attempt.
    ///
    /// - Parameter isOwner: A closure that returns `true` for the exchange that the attempt was started for.
    /// - Returns: That exchange if it still waits, which fails with the attempt; and the actions, which start attempts
    ///   for the other exchanges.
    mutating func openingFailed(to key: Key, of isOwner: (Waiter) -> Bool) -> (failed: Waiter?, actions: [Action]) {
        recordUnshared(key)
        hosts[key]?.opening -= 1
        count -= 1
        let index = hosts[key]?.waiting.firstIndex(where: isOwner)
        let failed = index.flatMap { hosts[key]?.waiting.remove(at: $0) }
        return (failed, afterLeaving(key))
    }

    /// Releases capacity of a connection.
    mutating func freed(_ member: Member, of key: Key) -> [Action] {
        hosts[key]?.release(member)
        return serve(on: member, of: key)
    }

    /// Changes the capacity of a connection.
    mutating func resized(_ member: Member, of key: Key, capacity: Int) -> [Action] {
        hosts[key]?.resize(member, capacity: capacity)
        return serve(on: member, of: key)
    }

    /// Stops assigning exchanges to a connection, which closes when its running exchanges have ended.
    mutating func retired(_ member: Member, of key: Key) -> [Action] {
        hosts[key]?.retire(member)
        return openAsNeeded(key)
    }

    mutating func closed(_ member: Member, of key: Key) -> [Action] {
        guard hosts[key]?.remove(member) == true else { return [] }
        count -= 1
        return afterLeaving(key)
    }

    /// Retires a connection if it is idle, so that it can be closed.
    ///
    /// - Returns: `false` if the connection is in use.
    mutating func takeIdle(_ member: Member, of key: Key) -> Bool {
        hosts[key]?.takeIdle(member) ?? false
    }

    // MARK: Closing

    /// Stops keeping idle connections.
    ///
    /// - Returns: The connections that are idle now.
    mutating func drain() -> [Member] {
        isDraining = true
        return hosts.keys.flatMap { key in hosts[key]?.takeAllIdle() ?? [] }
    }

    var members: [Member] { hosts.values.flatMap(\.members) }
    var isEmpty: Bool { count == 0 && hosts.values.allSatisfy(\.waiting.isEmpty) }

    // MARK: Implementation

    /// Assigns waiting exchanges to an available connection.
    private mutating func serve(on member: Member, of key: Key) -> [Action] {
        var actions: [Action] = []
        while hosts[key]?.waiting.isEmpty == false, hosts[key]?.acquire(member) == true,
            let next = hosts[key]?.waiting.popFirst()
        {
            actions.append(.run(next, on: member))
        }
        // If other hosts wait for the total limit, an idle connection is closed in favor of one of theirs.
        if actions.isEmpty, isDraining || nextQueuedHost() != nil, takeIdle(member, of: key) { return [.close(member)] }
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
        // The exchanges before it have attempts of their own.
        let waiter = host.waiting[host.opening]
        if count < total {
            count += 1
            hosts[key]?.opening += 1
            return [.open(key, for: waiter)]
        }
        if !host.isQueued {
            hosts[key]?.isQueued = true
            queuedHosts.append(key)
        }
        return idleOfAnyHost().map { [.close($0)] } ?? []
    }

    private mutating func idleOfAnyHost() -> Member? {
        // Finding the host first avoids a copy of all hosts on mutation.
        guard let key = hosts.first(where: { $0.value.hasIdle })?.key else { return nil }
        return hosts[key]?.takeAnyIdle()
    }

    /// Returns the host that has waited longest for the total limit and still needs a connection.
    private mutating func nextQueuedHost() -> Key? {
        while let key = queuedHosts.first {
            if wantsMore(key) { return key }
            hosts[key]?.isQueued = false
            queuedHosts.removeFirst()
            forgetIfUnused(key)
        }
        return nil
    }

    /// Opens connections after one has left: the first queued host precedes this one, and is then queued again.
    private mutating func afterLeaving(_ key: Key) -> [Action] {
        defer { forgetIfUnused(key) }
        guard let next = nextQueuedHost() else { return openAsNeeded(key) }
        queuedHosts.append(queuedHosts.removeFirst())
        return openIfPossible(next) + openAsNeeded(key)
    }

    /// Records that a host's connections are not shared, so that one is opened for each waiting exchange. The number of
    /// recorded hosts is limited.
    private mutating func recordUnshared(_ key: Key) {
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
