import SallyportTransport

/// A private cache of responses (RFC 9111), which a client uses to avoid requests.
///
/// ```swift
/// let client = HttpClient.createClient { config in
///     config.cache = HttpCache(storage: MemoryCacheStorage())
/// }
/// let response = try await client.request { $0.url = "https://api.example.com/catalog" }
/// print(response.cacheStatus?.description ?? "")  // Sallyport; hit; ttl=30
/// ```
///
/// Responses to GET requests are stored as the server allows: by `Cache-Control` and `Expires`, or, for responses with `Last-Modified`
/// and neither of them, for a tenth of their age. Stale responses are validated with `If-None-Match` and `If-Modified-Since`.
/// `Vary`, `immutable` (RFC 8246), `stale-while-revalidate` and `stale-if-error` (RFC 5861) are respected, and so are the directives of
/// requests, such as `no-cache`, `max-stale` and `only-if-cached`. Ranges and your own conditional requests are answered from fresh
/// responses, and ranges also from stored parts (206). If the beginning of a complete response is stored, only the rest is requested. A
/// successful unsafe request, such as a POST, removes the responses of its URL.
///
/// ## Users
///
/// Each user has a partition: a response is returned only to requests with the same credentials. These are all header fields that contain
/// secrets, such as `Authorization` and `Cookie`, except `DPoP`, fields that name a user, such as `X-Auth-User`, and the contents of the
/// client's certificates. The storage receives only their
/// HMAC-SHA256, with a random key of the storage. Responses with `Cache-Control: public` are shared by all users, unless they set cookies.
///
/// Clients with other pins, trusted authorities, addresses of hosts or minimum versions of TLS have partitions of their own, and do not
/// use the responses that all users share: a client with pins returns no response that was received without them.
///
/// A refreshed access token begins a new partition. If the `Authorization` of a request has another scheme than Basic, Bearer or DPoP, such
/// as Digest or a signature, its response is not stored, because no later request has the same credentials. Set ``user`` to use stored
/// responses nevertheless, or if the credentials are not visible, for example because your own transport has the client's certificate.
///
/// ## Responses that are not stored
///
/// The cache does not store:
///
/// - responses with `no-store`
/// - encoded parts (206)
/// - challenges (401, 407)
/// - incomplete bodies
/// - responses to requests, if a later interceptor has changed their URL, credentials or selecting fields
/// - responses of a client with ``HttpClientConfiguration/sealing``, if a later interceptor has changed fields of the request, even if it
///   only adds `traceparent`
/// - responses with secrets in header fields
///
/// `Set-Cookie` is not stored: a stored response sets no cookies, and the cookies of a validation in the background are discarded.
///
/// Bodies are stored before content decoding if the transport allows it, as the engine does, and otherwise as they were decoded.
public struct HttpCache: Sendable {
    /// The storage of the responses, which several clients may share.
    public let storage: any HttpCacheStorage

    /// An identifier of the user, such as an account number, which replaces the values of credentials in the key of a partition; `nil` if
    /// the credentials identify the user.
    public let user: String?

    /// The maximum time that a response without an explicit lifetime is considered fresh. The default is a day; zero validates such
    /// responses each time.
    public var heuristicLimit: Duration

    /// The requests under way, which all clients with this cache share, and with the storages of this module all with this storage.
    private(set) var invalidations: CacheInvalidations

    /// The clock, which tests can replace.
    package var time = TimeSource.system

    /// The maximum estimated lifetime in whole seconds.
    var heuristicLimitInSeconds: Int {
        Int(max(0, min(heuristicLimit.components.seconds, Int64(CacheDirectives.maximumSeconds))))
    }

    /// The cache for another user's client. The credentials of that client's requests separate its responses.
    var withoutUser: HttpCache {
        var cache = HttpCache(storage: storage, heuristicLimit: heuristicLimit)
        cache.time = time
        cache.invalidations = invalidations
        return cache
    }

    /// Creates a cache.
    ///
    /// - Parameters:
    ///   - storage: The storage, which several clients may share.
    ///   - user: An identifier of the user that the client makes its calls for.
    ///   - heuristicLimit: The maximum time that a response without an explicit lifetime is considered fresh.
    public init(storage: any HttpCacheStorage, user: String? = nil, heuristicLimit: Duration = .seconds(86_400)) {
        self.storage = storage
        self.user = user
        self.heuristicLimit = heuristicLimit
        invalidations = (storage as? any CacheInvalidationSharing)?.invalidations ?? CacheInvalidations()
    }
}
