/// The stores to which the current task has exclusive access, and the slots of connection pools that it holds.
package enum ExclusiveAccess {
    /// An exclusive access. Tasks that were started in it inherit it, and may outlive it.
    private final class Access: Sendable {
        let isOver = Locked(false)
    }

    @TaskLocal private static var held: [ObjectIdentifier: Access] = [:]

    /// Returns `true` if the current task has exclusive access to a store.
    package static func isHeld(by store: AnyObject) -> Bool {
        held[ObjectIdentifier(store)].map { !$0.isOver.withLock { $0 } } ?? false
    }

    /// Calls a closure while the current task has exclusive access to a store.
    package static func hold<Result: Sendable>(
        for store: AnyObject,
        _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
        let access = Access()
        defer { access.isOver.withLock { $0 = true } }
        let all = held.merging([ObjectIdentifier(store): access]) { $1 }
        return try await $held.withValue(all) { try await body() }
    }
}
