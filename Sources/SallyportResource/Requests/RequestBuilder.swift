import Foundation
import Sallyport

/// Builds a request with a chain of methods.
///
/// ```swift
/// let request = RequestBuilder().setMethod("GET").setPath("/api/users").setParameters(["username": "foo@bar.baz"]).build()
/// ```
///
/// Each method returns a new builder. Without a method and a path, the request is a GET of the resource base URL.
public struct RequestBuilder: Sendable {
    private var request = ResourceRequest(path: "", method: .get)

    /// Creates a builder.
    public init() {}

    /// Returns a builder.
    public static func builder() -> RequestBuilder { RequestBuilder() }

    /// Sets the method.
    public func setMethod(_ method: HTTPMethod) -> RequestBuilder { with { $0.method = method } }

    /// Sets the path; see ``ResourceRequest/path``.
    public func setPath(_ path: String) -> RequestBuilder { with { $0.path = path } }

    /// Sets the parameters; see ``ResourceRequest/parameters``.
    public func setParameters(_ parameters: [String: JsonValue]) -> RequestBuilder {
        with { $0.parameters = parameters }
    }

    /// Sets the encoding of the parameters in the body.
    public func setParametersEncoding(_ encoding: ParametersEncoding) -> RequestBuilder {
        with { $0.parametersEncoding = encoding }
    }

    /// Sets the raw body; see ``ResourceRequest/body``.
    public func setBody(_ body: Data) -> RequestBuilder { with { $0.body = body } }

    /// Sets the parts of a multipart form; see ``ResourceRequest/multipartData``.
    public func setMultipartData(_ parts: [MultipartData]) -> RequestBuilder { with { $0.multipartData = parts } }

    /// Sets the headers; see ``ResourceRequest/headers``.
    public func setHeaders(_ headers: [String: String]) -> RequestBuilder { with { $0.headers = headers } }

    /// Returns the request.
    public func build() -> ResourceRequest { request }

    private func with(_ change: (inout ResourceRequest) -> Void) -> RequestBuilder {
        var copy = self
        change(&copy.request)
        return copy
    }
}
