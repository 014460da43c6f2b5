import Foundation
import SallyportStorage

/// A storage whose clients share the requests under way, even if their ``HttpCache`` values differ.
protocol CacheInvalidationSharing: HttpCacheStorage {
    var invalidations: CacheInvalidations { get }
}

/// The requests under way of all clients with one storage. Only requests whose responses may be stored are included.
///
/// A response is not stored if an unsafe request has invalidated its resource after the request for it was sent: the server may have
/// created it before. A storage need not recognize this before storing begins; ``DirectoryCacheStorage`` does, for other processes.
final class CacheInvalidations: Sendable {
    /// The last failed removal of the responses of a resource, or of all resources if `resource` is `nil`.
    struct FailedRemoval: Sendable {
        let resource: String?
        fileprivate let identifier: UUID
    }

    private struct FailedRemovals: Sendable {
        var identifiers: [String: UUID] = [:]
        /// The identifier of a failure that was not added because there were too many; all responses are then removed.
        var ofAll: UUID?
    }

    /// The maximum number of resources whose failed removal is recorded.
    static let maximumFailures = 1024

    /// The identifiers of the requests by resource. Invalidating a resource removes them.
    private let requests = Locked<[String: Set<UUID>]>([:])
    private let failures = Locked(FailedRemovals())

    /// Adds a request that is about to be sent.
    ///
    /// - Returns: The identifier of the request. The caller passes it to ``end(_:for:)``.
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

    /// Records that the responses of a resource are invalid, but could not be removed.
    func removalFailed(of resource: String) {
        failures.withLock { failures in
            let isKnown = failures.identifiers[resource] != nil
            if failures.ofAll == nil, isKnown || failures.identifiers.count < Self.maximumFailures {
                failures.identifiers[resource] = UUID()
            } else {
                failures.ofAll = UUID()
            }
        }
    }

    /// Returns the removal that must succeed before stored responses of a resource are used; `nil` if none has failed.
    func failedRemoval(of resource: String) -> FailedRemoval? {
        failures.withLock { failures in
            if let identifier = failures.ofAll { return FailedRemoval(resource: nil, identifier: identifier) }
            return failures.identifiers[resource].map { FailedRemoval(resource: resource, identifier: $0) }
        }
    }

    /// Records that a failed removal was repeated with success. A removal that has failed meanwhile remains to be repeated.
    func repeated(_ removal: FailedRemoval) {
        failures.withLock { failures in
            if let resource = removal.resource {
                if failures.identifiers[resource] == removal.identifier { failures.identifiers[resource] = nil }
            } else if failures.ofAll == removal.identifier {
                failures = FailedRemovals()
            }
        }
    }
}
