import DequeModule

/// Decides which connection runs which exchange. Each change returns the actions to perform after the pool's lock is
/// released.
///
/// A connection has a capacity: one exchange with HTTP/1.1, many with HTTP/2. The waiting exchanges of a host are
/// served in the order of their arrival. Hosts that wait for the total limit are served in the order they began to
/// wait.
struct PoolState<Key: Hashable & SendableMetatype, Member: Sendable, Waiter> {
    typealias Entry = PoolEntry<Member>

    enum Action {
        case run(Waiter, on: Member)
        case open(Key, for: Waiter)
        case close(Member)
    }

    /// The outcome of the submission of an exchange.
    enum Assignment {
        /// The exchange runs on a connection.
        case run(Member)
        /// The exchange waits. One of the actions may already run it.
        case queued([Action])
    }

    private let perHost: Int
    private let total: Int
    private let expectsSharing: @Sendable (Key) -> Bool
    /// The hosts, each at its position in `index`. A removed host leaves an empty element.
    private var hosts: [PoolHost<Key, Member, Waiter>] = []
    private var index = PoolHostIndex<Key>()
    /// The hosts whose connections were expected to be shared, but are not.
    private var unshared: Set<Key> = []
    private(set) var count = 0
    /// The number of exchanges that run on connections.
    private(set) var running = 0
    /// The positions of the hosts that would open a connection if the total limit allowed it.
    private var queuedHosts: Deque<Int> = []
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
    /// - Parameter eventLoop: The identity of the event loop whose connections are preferred to other available ones.
    mutating func submit(_ waiter: Waiter, to key: Key, preferring eventLoop: ObjectIdentifier? = nil) -> Assignment {
        let host = index.position(of: key) ?? add(key)
        if hosts[host].waiting.isEmpty, let member = hosts[host].acquire(preferring: eventLoop) {
            running += 1
            return .run(member)
        }
        hosts[host].waiting.append(waiter)
        return .queued(openAsNeeded(host))
    }

    /// Submits an exchange whose connection was found dead. Closes the host's idle connections, because they may be
    /// dead too.
    mutating func submitAgain(_ waiter: Waiter, to key: Key) -> Assignment {
        guard let suspects = index.position(of: key).map({ hosts[$0].takeAllIdle() }), !suspects.isEmpty else {
            return submit(waiter, to: key)
        }
        let closing = suspects.map { Action.close($0) }
        return switch submit(waiter, to: key) {
        case .run(let member): .queued(closing + [.run(waiter, on: member)])
        case .queued(let actions): .queued(closing + actions)
        }
    }

    /// Removes matching exchanges from the queues, such as exchanges whose deadline has passed.
    mutating func removeWaiting(where matches: (Waiter) -> Bool) -> [Waiter] {
        var removed: [Waiter] = []
        for host in hosts.indices where !hosts[host].waiting.isEmpty {
            hosts[host].waiting.removeAll { waiter in
                guard matches(waiter) else { return false }
                removed.append(waiter)
                return true
            }
            forgetIfUnused(host)
        }
        return removed
    }

    /// Removes an exchange that has ended from its queue.
    ///
    /// - Returns: `true` if more connections are now being opened than exchanges wait.
    mutating func giveUp(to key: Key, where matches: (Waiter) -> Bool) -> Bool {
        guard let host = index.position(of: key) else { return false }
        if let position = hosts[host].waiting.firstIndex(where: matches) { hosts[host].waiting.remove(at: position) }
        forgetIfUnused(host)
        return hosts[host].opening > hosts[host].waiting.count
    }

    var waiting: some Sequence<Waiter> { hosts.lazy.flatMap(\.waiting) }

    // MARK: Connections

    /// Adds an opened connection.
    ///
    /// - Parameters:
    ///   - entry: The connection's entry, with which its later events are reported.
    ///   - isShared: A Boolean value that indicates whether the capacity may exceed one now or later.
    mutating func opened(
        _ member: Member,
        as entry: Entry,
        to key: Key,
        isShared: Bool = false,
        capacity: Int = 1
    ) -> [Action] {
        if isShared { unshared.remove(key) } else { recordUnshared(key) }
        guard let host = index.position(of: key) else { return [] }
        hosts[host].opening -= 1
        hosts[host].add(member, as: entry, at: host, isShared: isShared, capacity: capacity)
        return serve(on: entry, of: host) + openAsNeeded(host)
    }

    /// Removes a cancelled attempt. If it succeeds nevertheless, its connection is not added to the pool.
    mutating func attemptWithdrawn(to key: Key) -> [Action] {
        count -= 1
        guard let host = index.position(of: key) else { return [] }
        hosts[host].opening -= 1
        return afterLeaving(host)
    }

    /// Removes a failed attempt.
    ///
    /// - Parameter isOwner: A closure that returns `true` for the exchange that the attempt was started for.
    /// - Returns: That exchange if it still waits, which fails with the attempt; and the actions, which start attempts
    ///   for the other exchanges.
    mutating func openingFailed(to key: Key, of isOwner: (Waiter) -> Bool) -> (failed: Waiter?, actions: [Action]) {
        recordUnshared(key)
        count -= 1
        guard let host = index.position(of: key) else { return (nil, []) }
        hosts[host].opening -= 1
        let position = hosts[host].waiting.firstIndex(where: isOwner)
        let failed = position.map { hosts[host].waiting.remove(at: $0) }
        return (failed, afterLeaving(host))
    }

    /// Releases capacity of a connection.
    mutating func freed(_ entry: Entry) -> [Action] {
        guard let host = entry.host else { return [] }
        hosts[host].release(entry)
        running -= 1
        return serve(on: entry, of: host)
    }

    /// Changes the capacity of a connection.
    mutating func resized(_ entry: Entry, capacity: Int) -> [Action] {
        guard let host = entry.host else { return [] }
        hosts[host].resize(entry, capacity: capacity)
        return serve(on: entry, of: host)
    }

    /// Stops assigning exchanges to a connection, which closes when its running exchanges have ended.
    mutating func retired(_ entry: Entry) -> [Action] {
        guard let host = entry.host else { return [] }
        hosts[host].retire(entry)
        return openAsNeeded(host)
    }

    mutating func closed(_ entry: Entry) -> [Action] {
        guard let host = entry.host else { return [] }
        running -= hosts[host].remove(entry)
        count -= 1
        return afterLeaving(host)
    }

    /// Retires a connection if it is idle, so that it can be closed.
    ///
    /// - Returns: `false` if the connection is in use.
    mutating func takeIdle(_ entry: Entry) -> Bool {
        entry.host.flatMap { hosts[$0].takeIdle(entry) } != nil
    }

    // MARK: Closing

    /// Stops keeping idle connections.
    ///
    /// - Returns: The connections that are idle now.
    mutating func drain() -> [Member] {
        isDraining = true
        return hosts.indices.flatMap { hosts[$0].takeAllIdle() }
    }

    var members: [Member] { hosts.flatMap(\.members) }
    var isEmpty: Bool { count == 0 && hosts.allSatisfy(\.waiting.isEmpty) }

    // MARK: Implementation

    /// Assigns waiting exchanges to an available connection.
    private mutating func serve(on entry: Entry, of host: Int) -> [Action] {
        var actions: [Action] = []
        while !hosts[host].waiting.isEmpty, let member = hosts[host].acquire(entry),
            let next = hosts[host].waiting.popFirst()
        {
            running += 1
            actions.append(.run(next, on: member))
        }
        // If other hosts wait for the total limit, an idle connection is closed in favor of one of theirs.
        if actions.isEmpty, isDraining || nextQueuedHost() != nil, let idle = hosts[host].takeIdle(entry) {
            return [.close(idle)]
        }
        return actions
    }

    private mutating func openAsNeeded(_ host: Int) -> [Action] {
        var actions: [Action] = []
        while case let opening = openIfPossible(host), !opening.isEmpty {
            actions += opening
            if case .close? = opening.last { break }
        }
        return actions
    }

    private func wantsMore(_ index: Int) -> Bool {
        let host = hosts[index]
        guard !host.waiting.isEmpty, host.count < perHost, !host.hasShared else { return false }
        let isShared = expectsSharing(host.key) && !unshared.contains(host.key)
        return host.opening < (isShared ? 1 : host.waiting.count)
    }

    private mutating func openIfPossible(_ host: Int) -> [Action] {
        guard wantsMore(host) else { return [] }
        if count < total {
            // The exchanges before it have attempts of their own.
            let waiter = hosts[host].waiting[hosts[host].opening]
            count += 1
            hosts[host].opening += 1
            return [.open(hosts[host].key, for: waiter)]
        }
        if !hosts[host].isQueued {
            hosts[host].isQueued = true
            queuedHosts.append(host)
        }
        return idleOfAnyHost().map { [.close($0)] } ?? []
    }

    private mutating func idleOfAnyHost() -> Member? {
        hosts.firstIndex(where: \.hasIdle).flatMap { hosts[$0].takeAnyIdle() }
    }

    /// Returns the host that has waited longest for the total limit and still needs a connection.
    private mutating func nextQueuedHost() -> Int? {
        while let host = queuedHosts.first {
            if wantsMore(host) { return host }
            hosts[host].isQueued = false
            queuedHosts.removeFirst()
            forgetIfUnused(host)
        }
        return nil
    }

    /// Opens connections after one has left: the first queued host precedes this one, and is then queued again.
    private mutating func afterLeaving(_ host: Int) -> [Action] {
        defer { forgetIfUnused(host) }
        guard let next = nextQueuedHost() else { return openAsNeeded(host) }
        queuedHosts.append(queuedHosts.removeFirst())
        return openIfPossible(next) + openAsNeeded(host)
    }

    /// Records that a host's connections are not shared, so that one is opened for each waiting exchange. The number of
    /// recorded hosts is limited.
    private mutating func recordUnshared(_ key: Key) {
        guard expectsSharing(key) else { return }
        if unshared.count >= 1_000 { unshared = [] }
        unshared.insert(key)
    }

    private mutating func add(_ key: Key) -> Int {
        let host = index.add(key)
        if host == hosts.count { hosts.append(PoolHost(key)) } else { hosts[host] = PoolHost(key) }
        return host
    }

    private mutating func forgetIfUnused(_ host: Int) {
        guard hosts[host].isUnused, index.remove(hosts[host].key, at: host) else { return }
        hosts[host] = PoolHost(hosts[host].key)
    }
}

extension PoolState: Sendable where Key: Sendable, Waiter: Sendable {}
extension PoolState.Action: Sendable where Key: Sendable, Waiter: Sendable {}
extension PoolState.Assignment: Sendable where Key: Sendable, Waiter: Sendable {}
