/// A private cache of responses (RFC 9111).
///
/// ```swift
/// let client = HttpClient.createClient { config in
///     config.cache = HttpCache(storage: MemoryCacheStorage())
/// }
/// ```
public struct HttpCache: Sendable {
    /// The storage of the responses.
    public let storage: any HttpCacheStorage

    /// An identifier of the user, such as an account number, which replaces the credentials of requests as the key of a partition;
    /// `nil` if the credentials identify the user.
    public let user: String?

    /// Creates a cache.
    ///
    /// - Parameters:
    ///   - storage: The storage, which several clients may share.
    ///   - user: An identifier of the user for whom the client makes its calls.
    public init(storage: any HttpCacheStorage, user: String? = nil) {
        self.storage = storage
        self.user = user
    }
}
