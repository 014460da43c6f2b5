import Foundation
import Sallyport

/// A request for a resource whose properties can be changed one by one.
///
/// It is used by one task at a time. ``copy()`` returns the ``ResourceRequest`` that is sent:
///
/// ```swift
/// let request = MutableResourceRequest(path: "/api/users/", method: .get)
/// request.headers = ["X-Flags": "1000010"]
/// request.parameters = ["username": "foo@bar.baz"]
/// request.parametersEncoding = .JSON
/// let response = try await client.userClient.sendAuthenticatedRequest(request.copy())
/// ```
public final class MutableResourceRequest {
    /// The path; see ``ResourceRequest/path``.
    public var path: String

    /// The method.
    public var method: HTTPMethod

    /// The parameters; see ``ResourceRequest/parameters``.
    public var parameters: [String: JsonValue]?

    /// The encoding of the parameters; see ``ResourceRequest/parametersEncoding``.
    public var parametersEncoding = ParametersEncoding.JSON

    /// The raw body; see ``ResourceRequest/body``.
    public var body: Data?

    /// The parts of a multipart form; see ``ResourceRequest/multipartData``.
    public var multipartData: [MultipartData]?

    /// The headers; see ``ResourceRequest/headers``.
    public var headers: [String: String]?

    /// Creates a request without parameters.
    public init(path: String, method: HTTPMethod) {
        self.path = path
        self.method = method
    }

    /// Returns the request with its current values, which later changes do not affect.
    public func copy() -> ResourceRequest { ResourceRequest(self) }
}
