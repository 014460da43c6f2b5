import HTTPTypes
import SallyportTransport

/// Removes the stored responses that unsafe requests have made invalid (RFC 9111, section 4.4).
///
/// Responses that could not be removed are not used: the removal is repeated before the next request for their URL.
struct CacheInvalidator: Sendable {
    private let storage: any HttpCacheStorage
    private let invalidations: CacheInvalidations

    init(_ storage: any HttpCacheStorage, _ invalidations: CacheInvalidations) {
        self.storage = storage
        self.invalidations = invalidations
    }

    /// Removes the responses of an unsafe request's URL, and of the URLs in `Location` and `Content-Location` that have the same origin.
    /// Does nothing if the server has refused the request.
    ///
    /// - Returns: `false` if the storage has failed.
    func invalidate(_ target: RequestTarget, after response: HttpResponse) async -> Bool {
        guard (200...399).contains(response.status.code) else { return true }
        let references = [HTTPField.Name.location, .contentLocation]
            .flatMap { response.headers.fields[values: $0] }
            .compactMap { RequestTarget.resolved($0, against: target.url) }
        let others = references.compactMap { try? RequestTarget(url: $0) }.filter { $0.origin == target.origin }
        var areRemoved = true
        for resource in ([target] + others).map(CacheLookup.resource) {
            invalidations.invalidate(resource)
            do throws(HttpCacheStorageError) {
                try await storage.removeAll(of: resource)
            } catch {
                invalidations.removalFailed(of: resource)
                areRemoved = false
            }
        }
        return areRemoved
    }

    /// Repeats the removal of a resource's responses if it has failed before.
    ///
    /// - Returns: `false` if it fails again. The stored responses must not be used then.
    func repeatRemoval(of resource: String) async -> Bool {
        guard let failure = invalidations.failedRemoval(of: resource) else { return true }
        do throws(HttpCacheStorageError) {
            if let resource = failure.resource {
                try await storage.removeAll(of: resource)
            } else {
                try await storage.removeAll()
            }
            invalidations.repeated(failure)
            return true
        } catch {
            return false
        }
    }
}
