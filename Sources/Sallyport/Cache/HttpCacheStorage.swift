import Foundation

/// A type that stores responses for an ``HttpCache``, for example in a directory.
///
/// A storage bounds its total size, and removes the entries that have not been used for the longest time to make space. Several clients
/// and, if the storage is shared, several processes use it at the same time. Heads contain no
/// cookies, and the digests of credentials have a secret key. The digest of the URL has none, so a secret in a URL can be guessed from it.
///
/// An error of a storage does not make a call fail before the body of a response is read: the call is then made without the cache. A call
/// waits for its storage, so a storage limits the time of each operation.
public protocol HttpCacheStorage: Sendable {
    /// Returns the secret key of the digests in ``HttpCacheKey/partition`` and ``HttpCacheHead/variant``, which may contain credentials.
    ///
    /// It is called for each request. All clients and processes that share the storage need the same key. If it changes, the responses
    /// that were stored with the previous key are not found any more, and are removed when they have not been used for long enough.
    ///
    /// - Returns: 32 random bytes.
    func digestKey() async throws(HttpCacheStorageError) -> Data

    /// Returns the stored responses of a key, one for each variant (RFC 9111, section 4.1), without damaged ones.
    func entries(for key: HttpCacheKey) async throws(HttpCacheStorageError) -> [HttpCacheEntry]

    /// Opens the body of a stored response, and records that the response has been used.
    ///
    /// - Returns: A reader, which the caller closes; `nil` if the response has been removed, was replaced by another one, or is damaged.
    func open(_ entry: HttpCacheEntry) async throws(HttpCacheStorageError) -> (any HttpCacheReader)?

    /// Begins to store a response. Others do not see it before ``HttpCacheWriter/commit()``.
    ///
    /// Committing it replaces the stored response with the same key and ``HttpCacheHead/variant``.
    ///
    /// - Throws: ``HttpCacheStorageError``, with ``HttpCacheStorageError/invalidated`` if another process has called
    ///   ``removeAll(of:)`` after the ``HttpCacheHead/requestTime``.
    func begin(_ head: HttpCacheHead, for key: HttpCacheKey) async throws(HttpCacheStorageError) -> any HttpCacheWriter

    /// Replaces the head of a stored response after the server has confirmed it (RFC 9111, section 4.3.4). The body does not change. Has no
    /// effect if the response has been removed, or replaced by one with another ``HttpCacheHead/id``.
    ///
    /// - Parameters:
    ///   - entry: The stored response.
    ///   - head: The new head, with the same identifier and variant.
    func replaceHead(of entry: HttpCacheEntry, with head: HttpCacheHead) async throws(HttpCacheStorageError)

    /// Removes a stored response, unless it has been replaced by one with another ``HttpCacheHead/id``.
    func remove(_ entry: HttpCacheEntry) async throws(HttpCacheStorageError)

    /// Removes all stored responses of a resource, of all partitions.
    ///
    /// - Parameter resource: The ``HttpCacheKey/resource`` of the keys.
    func removeAll(of resource: String) async throws(HttpCacheStorageError)

    /// Removes all stored responses.
    func removeAll() async throws(HttpCacheStorageError)

    /// Returns all stored responses, in any order, without damaged ones.
    func allEntries() async throws(HttpCacheStorageError) -> [HttpCacheEntry]
}

/// Reads the body of a stored response.
public protocol HttpCacheReader: Sendable {
    /// Returns bytes of the body.
    ///
    /// - Parameters:
    ///   - offset: The position of the first byte.
    ///   - count: The maximum number of bytes, which is greater than zero.
    /// - Returns: At least one byte, unless `offset` is at the end of the body.
    /// - Throws: ``HttpCacheStorageError/damaged(_:)`` if the bytes are not those that were stored.
    func read(at offset: Int64, upTo count: Int) async throws(HttpCacheStorageError) -> Data

    /// Releases the resources of the reader. It is not used afterwards.
    func close()
}

/// Writes the body of a response that is being stored.
public protocol HttpCacheWriter: Sendable {
    /// Appends bytes to the body.
    ///
    /// - Throws: ``HttpCacheStorageError``. The caller then abandons the writer.
    func append(_ bytes: Data) async throws(HttpCacheStorageError)

    /// Stores the response atomically. The writer is not used afterwards, unless an error is thrown.
    ///
    /// - Throws: ``HttpCacheStorageError``. The caller then abandons the writer.
    func commit() async throws(HttpCacheStorageError)

    /// Discards the response. The writer is not used afterwards.
    func abandon() async
}

/// The reason why a cache storage could not read or store a response.
public enum HttpCacheStorageError: Error, Hashable {
    /// The response is longer than `limit` bytes, the maximum of the storage.
    case tooLarge(limit: Int64)
    /// The response was requested before its resource was invalidated, and may be out of date (RFC 9111, section 4.4).
    case invalidated
    /// The bytes of a stored response are not those that were stored.
    case damaged(_ reason: String)
    /// The storage cannot be used, for example because the disk is full.
    case unavailable(_ reason: String)
}

extension HttpCacheStorageError: CustomStringConvertible {
    /// The reason, as a clause that follows a colon.
    public var description: String {
        switch self {
        case .tooLarge(let limit): "the response is longer than the limit of \(limit) bytes"
        case .invalidated: "the response was requested before its resource was invalidated"
        case .damaged(let reason): "the stored response is damaged: \(reason)"
        case .unavailable(let reason): "the cache cannot be used: \(reason)"
        }
    }
}
