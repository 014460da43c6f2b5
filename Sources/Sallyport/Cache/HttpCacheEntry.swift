import Foundation
import HTTPTypes

/// The key of stored responses: a resource, and the user for whom they are stored (RFC 9111, section 2).
///
/// Both are digests of 64 lower-case hexadecimal digits, so that a key contains neither a URL nor a credential and is safe as a file
/// name.
public struct HttpCacheKey: Sendable, Hashable, Codable {
    /// The SHA-256 digest of the URL without its fragment.
    public let resource: String

    /// The HMAC-SHA256 of the credentials of the request, with the storage's ``HttpCacheStorage/digestKey()``, or the digest of the public
    /// partition, which all users share.
    public let partition: String

    /// Creates a key.
    ///
    /// - Parameters:
    ///   - resource: A digest.
    ///   - partition: A digest.
    public init(resource: String, partition: String) {
        self.resource = resource
        self.partition = partition
    }

    /// Returns the ``resource`` of a URL, for example to remove its responses.
    ///
    /// ```swift
    /// try await storage.removeAll(of: HttpCacheKey.resource(of: "https://api.example.com/catalog"))
    /// ```
    ///
    /// - Throws: ``NetworkError/invalidRequest(_:)`` if the URL is invalid.
    public static func resource(of url: String) throws(NetworkError) -> String {
        CacheLookup.resource(try RequestTarget(url: url))
    }
}

/// The head of a stored response, and what the cache needs to select it and to calculate its age.
public struct HttpCacheHead: Sendable, Hashable, Codable {
    /// A random identifier of the stored response, which remains when the head is replaced.
    public var id: UUID

    /// The URL for display, with secrets masked.
    public var url: String

    /// The HMAC-SHA256 of the request fields in ``varyingFields`` and their values, with the storage's ``HttpCacheStorage/digestKey()``: 64
    /// lower-case hexadecimal digits.
    public var variant: String

    /// The request fields that select the response, in lower case and sorted: those that `Vary` names, `range` for a part, and
    /// `accept-encoding` for a response in a coding that its request does not accept explicitly.
    public var varyingFields: [String]

    /// The `Range` of the request, if the response is a part (206); `nil` for a complete response.
    public var range: String?

    /// The status code.
    public var status: Int

    /// The header fields as they were received, without the fields of a connection and without fields that contain secrets, such as
    /// `Set-Cookie`.
    public var fields: HTTPFields

    /// The time at which the request was sent.
    public var requestTime: Date

    /// The time at which the response was received.
    public var responseTime: Date

    /// Creates a head.
    public init(
        id: UUID = UUID(),
        url: String,
        variant: String,
        varyingFields: [String] = [],
        range: String? = nil,
        status: Int,
        fields: HTTPFields,
        requestTime: Date,
        responseTime: Date
    ) {
        self.id = id
        self.url = url
        self.variant = variant
        self.varyingFields = varyingFields
        self.range = range
        self.status = status
        self.fields = fields
        self.requestTime = requestTime
        self.responseTime = responseTime
    }
}

/// A complete stored response, without its body.
public struct HttpCacheEntry: Sendable, Hashable {
    /// The key.
    public let key: HttpCacheKey

    /// The head.
    public let head: HttpCacheHead

    /// The length of the body in bytes, before content decoding.
    public let bodyLength: Int64

    /// Creates an entry.
    public init(key: HttpCacheKey, head: HttpCacheHead, bodyLength: Int64) {
        self.key = key
        self.head = head
        self.bodyLength = bodyLength
    }
}
