import HTTPTypes
import SallyportTransport

/// A request, and the keys of the responses that may be stored for it.
struct CacheLookup: Sendable {
    /// The request as the cache received it.
    let original: HttpRequest
    /// The request with the URL to which it is sent.
    let sent: HttpRequest
    let target: RequestTarget
    let request: CacheRequest
    /// The key of the user's responses.
    let key: HttpCacheKey
    /// The key of the responses that all users share; ``key`` if the client does not use them.
    let sharedKey: HttpCacheKey
    private let partition: CachePartition

    /// Creates the keys of a request.
    ///
    /// - Parameters:
    ///   - partition: The partitions of the client, with the key of the storage.
    ///   - acceptEncoding: The `Accept-Encoding` that the transport adds.
    /// - Throws: ``NetworkError/invalidRequest(_:)`` if the request cannot be sent.
    init(_ request: HttpRequest, partition: CachePartition, acceptEncoding: String?) throws(NetworkError) {
        target = try request.target()
        let head = try request.head(to: target)
        original = request
        sent = request.sent(to: target)
        var fields = request.fields
        if let acceptEncoding, !fields.contains(.acceptEncoding), !fields.contains(.range) {
            fields[.acceptEncoding] = acceptEncoding
        }
        let hasBody = if case .none = request.body { false } else { true }
        self.partition = partition
        self.request = CacheRequest(
            method: head.method,
            fields: fields,
            hasBody: hasBody,
            digestKey: partition.digestKey
        )
        let resource = Self.resource(target)
        let origin = target.origin
        let isOtherOrigin = request.firstOrigin.map { $0 != origin } ?? false
        key = HttpCacheKey(
            resource: resource,
            partition: partition.digest(of: request.fields, withholdingIdentity: isOtherOrigin)
        )
        sharedKey = partition.usesShared ? HttpCacheKey(resource: resource, partition: CachePartition.shared) : key
    }

    /// Returns the digest of a URL.
    static func resource(_ target: RequestTarget) -> String { CacheDigest.of([target.url]) }

    /// Returns the head with which a response is stored.
    func head(of received: CacheResponse, _ variant: CacheVariant) -> HttpCacheHead {
        HttpCacheHead(
            url: Redaction.text(target.url),
            variant: variant.digest,
            varyingFields: variant.names,
            range: received.status == 206 ? request.fields[.range] : nil,
            status: received.status,
            fields: received.fields.withoutConnectionFields,
            requestTime: received.requestTime,
            responseTime: received.responseTime
        )
    }

    /// Returns a GET request for the complete response, without the caller's conditions.
    ///
    /// - Parameter limit: The maximum duration of the request, including its response.
    func unconditional(within limit: Duration, acceptEncoding: String?) throws(NetworkError) -> CacheLookup {
        var request = original
        request.get()
        var timeouts = request.effectiveTimeouts
        timeouts.total = timeouts.total.map { min($0, limit) } ?? limit
        request.timeout = nil
        request.timeouts = timeouts
        for name in [HTTPField.Name.ifNoneMatch, .ifModifiedSince, .range, .ifRange] { request.fields[name] = nil }
        return try CacheLookup(request, partition: partition, acceptEncoding: acceptEncoding)
    }
}
