import Foundation
import Sallyport

/// A request for a resource, which does not change after it was created.
///
/// ```swift
/// let request = ResourceRequest(path: "/api/users/", method: .get, parameters: ["username": "foo@bar.baz"])
/// let response = try await SharedUserClient.instance.sendAuthenticatedRequest(request)
/// ```
///
/// The values are checked when the request is sent. If they are invalid, the call fails with ``ResourceError/Reason/invalidRequest``,
/// ``ResourceError/Reason/invalidMethod`` or ``ResourceError/Reason/invalidHeaders``, and nothing is sent.
///
/// ``ResourceRequestFactory`` and ``RequestBuilder`` create requests as well, and a ``MutableResourceRequest`` has the same properties and
/// can be changed.
public struct ResourceRequest: Sendable {
    /// The path below the resource base URL, or an absolute URL.
    ///
    /// A slash at its beginning has no meaning. It may contain a query, and `..` does not leave the path of the base URL. An absolute URL
    /// must begin with `https://` and have the origin of a configured URL; see ``ConfigModel/additionalResourceURLs``.
    public internal(set) var path: String

    /// The method.
    public internal(set) var method: HTTPMethod

    /// The parameters. GET, HEAD and DELETE send them in the query, and POST, PUT and PATCH in the body.
    public internal(set) var parameters: [String: JsonValue]?

    /// The encoding of the parameters in the body. The default is ``ParametersEncoding/JSON``.
    public internal(set) var parametersEncoding = ParametersEncoding.JSON

    /// The bytes to send as the body, as they are. With a body, ``parameters`` and ``parametersEncoding`` are ignored.
    public internal(set) var body: Data?

    /// The parts of a multipart form, which also contains ``parameters`` as fields; `nil` for other requests.
    ///
    /// The method must be POST. The SDK sets the header `Content-Type`, and ``parametersEncoding`` is ignored.
    public internal(set) var multipartData: [MultipartData]?

    /// Additional headers. The SDK sets `Authorization` and `User-Agent`: a request with one of them fails with
    /// ``ResourceError/Reason/invalidHeaders``.
    public internal(set) var headers: [String: String]?

    /// Creates a request without parameters.
    public init(path: String, method: HTTPMethod) {
        self.path = path
        self.method = method
    }
}

extension ResourceRequest {
    /// Creates a request with parameters, which are encoded as JSON if they are sent in the body.
    public init(path: String, method: HTTPMethod, parameters: [String: JsonValue]?) {
        self.init(path: path, method: method, parameters: parameters, encoding: .JSON)
    }

    /// Creates a request with parameters and their encoding.
    public init(path: String, method: HTTPMethod, parameters: [String: JsonValue]?, encoding: ParametersEncoding) {
        self.init(path: path, method: method, parameters: parameters, encoding: encoding, headers: nil)
    }

    /// Creates a request with parameters, their encoding and headers.
    public init(
        path: String,
        method: HTTPMethod,
        parameters: [String: JsonValue]?,
        encoding: ParametersEncoding,
        headers: [String: String]?
    ) {
        self.init(path: path, method: method)
        self.parameters = parameters
        parametersEncoding = encoding
        self.headers = headers
    }

    /// Creates a request with a raw body and headers.
    public init(path: String, method: HTTPMethod, body: Data?, headers: [String: String]?) {
        self.init(path: path, method: method)
        self.body = body
        self.headers = headers
    }

    /// Creates a multipart request.
    public init(
        path: String,
        method: HTTPMethod,
        parameters: [String: JsonValue]?,
        multipartData: [MultipartData]
    ) {
        self.init(path: path, method: method)
        self.parameters = parameters
        self.multipartData = multipartData
    }

    /// Returns a request with the same values that can be changed.
    public func mutableCopy() -> MutableResourceRequest { MutableResourceRequest(self) }
}

extension ResourceRequest: CustomStringConvertible, CustomReflectable {
    /// The method and the path without its query, which may contain secrets.
    public var description: String {
        let path = path.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        return VisibleText.line("\(method) \(Redaction.text(String(Substring(path))))", longest: 200)
    }

    /// A mirror of ``description``, so that `dump` shows no secrets.
    public var customMirror: Mirror { Mirror(self, children: ["request": description], displayStyle: .struct) }
}
