import Foundation
import SallyportStorage
import SallyportTransport

/// The validations that run after a stale response has been returned (RFC 5861, section 3).
///
/// Each ends with the client that began it, and by the timeouts of its request. There is one for a stored response at a time.
final class CacheRevalidations: Sendable {
    /// The maximum duration of a validation.
    static let limit = Duration.seconds(60)

    private static let maximumCount = 8

    private let running = Locked<Set<UUID>>([])

    /// Begins a validation, unless one of the same response or too many others are running.
    ///
    /// - Parameters:
    ///   - id: The identifier of the stored response.
    ///   - next: The stages after the cache in the call that returned the response.
    ///   - validate: The validation. It receives the stages of its own call, which streams the body. Its errors are discarded.
    func start(_ id: UUID, of next: Next, _ validate: @escaping @Sendable (Next) async throws -> Void) {
        let isNew = running.withLock { $0.count < Self.maximumCount && $0.insert(id).inserted }
        if !isNew { return }
        Task(priority: .utility) {
            await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    try? await withExchangeScope { scope in try await validate(next.background(in: scope)) }
                }
                group.addTask { await next.call.waitForClose() }
                await group.next()
                group.cancelAll()
            }
            running.withLock { _ = $0.remove(id) }
        }
    }
}
