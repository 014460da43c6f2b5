import Foundation
import SallyportStorage

/// A storage whose clients share the requests under way, also with different ``HttpCache`` values.
protocol CacheInvalidationSharing: HttpCacheStorage {
    var invalidations: CacheInvalidations { get }
}

/// The requests under way whose responses may be stored, of all clients with one storage.
///
/// A response is not stored if an unsafe request has invalidated its resource after the request for it was sent: the server may have
/// created it before. A storage need not recognize this before storing begins; ``DirectoryCacheStorage`` does, for other processes.
final class CacheInvalidations: Sendable {
    /// The identifiers of the requests by resource, without those whose resource was invalidated.
    private let requests = Locked<[String: Set<UUID>]>([:])

    /// Adds a request that is about to be sent.
    ///
    /// - Returns: The identifier of the request, for which the caller calls ``end(_:for:)``.
    func begin(for resource: String) -> UUID {
        let identifier = UUID()
        requests.withLock { _ = $0[resource, default: []].insert(identifier) }
        return identifier
    }

    /// Removes a request.
    func end(_ identifier: UUID, for resource: String) {
        requests.withLock { requests in
            _ = requests[resource]?.remove(identifier)
            if requests[resource]?.isEmpty == true { requests[resource] = nil }
        }
    }

    /// Returns a Boolean value that indicates whether the resource has not been invalidated since the request began.
    func isValid(_ identifier: UUID, for resource: String) -> Bool {
        requests.withLock { $0[resource]?.contains(identifier) ?? false }
    }

    /// Invalidates a resource. The caller then removes its stored responses.
    func invalidate(_ resource: String) {
        requests.withLock { $0[resource] = nil }
    }
}
