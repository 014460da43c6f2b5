import Foundation
import SallyportStorage
import SallyportTransport

/// The validations that run after a stale response has been returned (RFC 5861, section 3).
///
/// Each ends with the client that began it, and within a minute. There is one for a stored response at a time.
final class CacheRevalidations: Sendable {
    private static let maximumCount = 8
    private static let limit = Duration.seconds(60)

    private let running = Locked<Set<UUID>>([])

    /// Begins a validation, unless one of the same response or too many others are running.
    ///
    /// - Parameters:
    ///   - id: The identifier of the stored response.
    ///   - next: The stages after the cache in the call that returned the response.
    ///   - validate: The validation, with the stages of a call of its own. Its response and its errors are discarded.
    func start(_ id: UUID, of next: Next, _ validate: @escaping @Sendable (Next) async throws -> Void) {
        let isNew = running.withLock { $0.count < Self.maximumCount && $0.insert(id).inserted }
        if !isNew { return }
        let next = Next(pipeline: next.pipeline, position: next.position, call: next.call.background())
            .limited(to: Self.limit)
        Task(priority: .utility) {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { try? await validate(next) }
                group.addTask { await next.call.waitForClose() }
                await group.next()
                group.cancelAll()
            }
            running.withLock { _ = $0.remove(id) }
        }
    }
}
