/// The positions of the hosts in the array of a pool's hosts.
struct PoolHostIndex<Key: Hashable & SendableMetatype> {
    private var positions: [Key: Int] = [:]
    /// The positions of removed hosts, which new ones receive.
    private var vacant: [Int] = []
    /// The last result, which saves the lookup if the same host is called again.
    private var last: (key: Key, position: Int)?

    /// Returns the position of a host; `nil` if there is none.
    mutating func position(of key: Key) -> Int? {
        if let last, last.key == key { return last.position }
        guard let position = positions[key] else { return nil }
        last = (key, position)
        return position
    }

    /// Adds a host.
    ///
    /// - Returns: Its position: the position of a removed host, or the end of the array.
    mutating func add(_ key: Key) -> Int {
        let position = vacant.popLast() ?? positions.count
        positions[key] = position
        return position
    }

    /// Removes a host.
    ///
    /// - Returns: `false` if it has been removed before.
    mutating func remove(_ key: Key, at position: Int) -> Bool {
        guard positions[key] == position else { return false }
        positions[key] = nil
        vacant.append(position)
        last = nil
        return true
    }
}

extension PoolHostIndex: Sendable where Key: Sendable {}
