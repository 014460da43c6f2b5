/// The method of a ``ResourceRequest``: one of GET, POST, PUT, PATCH, HEAD and DELETE.
///
/// ```swift
/// let method: HTTPMethod = .post  // or "POST"
/// ```
///
/// A value can have any name. A request with another method than these fails with ``ResourceError/Reason/invalidMethod``.
public struct HTTPMethod: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The name in upper case, such as `GET`.
    public let rawValue: String

    /// Creates a method from its name, which is case-sensitive (RFC 9110, section 9.1).
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Creates a method from its name, which is case-sensitive.
    public init(stringLiteral value: String) { rawValue = value }

    /// GET: the parameters are sent in the query.
    public static let get: Self = "GET"
    /// POST: the parameters are sent in the body.
    public static let post: Self = "POST"
    /// PUT: the parameters are sent in the body.
    public static let put: Self = "PUT"
    /// PATCH: the parameters are sent in the body.
    public static let patch: Self = "PATCH"
    /// HEAD: the parameters are sent in the query.
    public static let head: Self = "HEAD"
    /// DELETE: the parameters are sent in the query.
    public static let delete: Self = "DELETE"

    /// The methods that a request can have.
    public static let allCases: [HTTPMethod] = [.get, .post, .put, .patch, .head, .delete]

    /// The name.
    public var description: String { rawValue }

    /// A Boolean value that indicates whether parameters are sent in the query, and not in the body.
    var hasParametersInQuery: Bool { [.get, .head, .delete].contains(self) }
}
