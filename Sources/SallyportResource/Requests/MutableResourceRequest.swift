import Foundation
import Sallyport

/// A resource request with properties that can be changed one by one.
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
    private var values: ResourceRequest

    /// The path; see ``ResourceRequest/path``.
    public var path: String {
        get { values.path }
        set { values.path = newValue }
    }

    /// The method.
    public var method: HTTPMethod {
        get { values.method }
        set { values.method = newValue }
    }

    /// The parameters; see ``ResourceRequest/parameters``.
    public var parameters: [String: JsonValue]? {
        get { values.parameters }
        set { values.parameters = newValue }
    }

    /// The encoding of the parameters; see ``ResourceRequest/parametersEncoding``.
    public var parametersEncoding: ParametersEncoding {
        get { values.parametersEncoding }
        set { values.parametersEncoding = newValue }
    }

    /// The raw body; see ``ResourceRequest/body``.
    public var body: Data? {
        get { values.body }
        set { values.body = newValue }
    }

    /// The parts of a multipart form; see ``ResourceRequest/multipartData``.
    public var multipartData: [MultipartData]? {
        get { values.multipartData }
        set { values.multipartData = newValue }
    }

    /// The headers; see ``ResourceRequest/headers``.
    public var headers: [String: String]? {
        get { values.headers }
        set { values.headers = newValue }
    }

    /// Creates a request without parameters.
    public convenience init(path: String, method: HTTPMethod) {
        self.init(ResourceRequest(path: path, method: method))
    }

    init(_ values: ResourceRequest) { self.values = values }

    /// Returns the request with its current values, which later changes do not affect.
    public func copy() -> ResourceRequest { values }
}
