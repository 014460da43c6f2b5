@testable import SallyportEngine

/// A connection of a pool under test.
final class PoolMember: Sendable {
    let entry: PoolEntry<PoolMember>

    init(on eventLoop: AnyObject? = nil) {
        entry = PoolEntry(eventLoop: eventLoop.map { ObjectIdentifier($0) })
    }
}

extension PoolState<String, PoolMember, Int> {
    /// Submits an exchange, and returns all actions that follow, including the one that runs it.
    mutating func submitted(_ waiter: Int, to key: String, on eventLoop: AnyObject? = nil) -> [Action] {
        submit(waiter, to: key, preferring: eventLoop.map { ObjectIdentifier($0) }).actions(for: waiter)
    }

    /// Submits an exchange whose connection was found dead.
    mutating func submittedAgain(_ waiter: Int, to key: String) -> [Action] {
        submitAgain(waiter, to: key).actions(for: waiter)
    }

    mutating func opened(_ member: PoolMember, to key: String, isShared: Bool = false, capacity: Int = 1) -> [Action] {
        opened(member, as: member.entry, to: key, isShared: isShared, capacity: capacity)
    }
}

extension PoolState<String, PoolMember, Int>.Assignment {
    fileprivate func actions(for waiter: Int) -> [PoolState<String, PoolMember, Int>.Action] {
        switch self {
        case .run(let member): [.run(waiter, on: member)]
        case .queued(let actions): actions
        }
    }
}
