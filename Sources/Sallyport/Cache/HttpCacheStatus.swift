/// The part that a cache had in a response, in the terms of the `Cache-Status` field (RFC 9211).
///
/// ```swift
/// let response = try await client.request { $0.url = "https://api.example.com/catalog" }
/// if response.cacheStatus?.isHit == true { print("not sent") }
/// print(response.cacheStatus?.description ?? "no cache")  // Sallyport; fwd=stale; fwd-status=304; ttl=60
/// ```
public struct HttpCacheStatus: Sendable, Hashable {
    /// The reason why a request was sent to the server (RFC 9211, section 2.2).
    public enum Forward: String, Sendable, Hashable {
        /// The cache does not handle requests like this one.
        case bypass
        /// The cache does not handle the method.
        case method
        /// No response of the URL is stored.
        case uriMiss = "uri-miss"
        /// Responses of the URL are stored, but `Vary` selects none of them.
        case varyMiss = "vary-miss"
        /// A stored response could not be read.
        case miss
        /// A fresh response is stored, but the request does not allow its use.
        case request
        /// Only a part of the response is stored.
        case partial
        /// The stored response is stale.
        case stale
    }

    /// The reason why the request was sent; `nil` if it was not.
    public internal(set) var forward: Forward?

    /// The status of the server's response, such as 304, if it differs from the status of the response that was returned.
    public internal(set) var forwardStatus: Int?

    /// The time in seconds until the returned response becomes stale; negative if it is stale already, and `nil` if it is not stored.
    public internal(set) var timeToLive: Int?

    /// A Boolean value that indicates whether the cache stored the server's response. A streamed response is stored only if its body is
    /// read to the end.
    public internal(set) var isStored = false

    /// The reason for the decision, such as `no-store`, one of those that <doc:Caching-Responses> lists; `nil` if the other properties explain it.
    public internal(set) var detail: String?

    /// A Boolean value that indicates whether the response comes from the cache, and nothing was sent.
    public internal(set) var isHit = false
}

extension HttpCacheStatus: CustomStringConvertible {
    /// The status as a member of `Cache-Status`, such as `Sallyport; hit; ttl=30`.
    public var description: String {
        var parts = ["Sallyport"]
        if isHit { parts.append("hit") }
        if let forward { parts.append("fwd=\(forward.rawValue)") }
        if let forwardStatus { parts.append("fwd-status=\(forwardStatus)") }
        if let timeToLive { parts.append("ttl=\(timeToLive)") }
        if isStored { parts.append("stored") }
        if let detail { parts.append("detail=\(detail)") }
        return parts.joined(separator: "; ")
    }
}
