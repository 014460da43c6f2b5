import Foundation
import Sallyport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A request that the SDK sends itself, in the form of the Ping SDK for iOS.
///
/// An interceptor reads it and returns a new one. What it does not change is sent as it was, even if this type cannot express it, such
/// as a parameter with two values or a file as the body.
///
/// ```swift
/// let request = Request(
///     url: "https://am.example.com/am/oauth2/userinfo",
///     method: .GET,
///     headers: ["Accept-Language": "en-GB"],
///     urlParams: ["scope": "openid"]
/// )
/// ```
public struct Request {
    /// The URL. For a request of the SDK it has no query, which is in ``urlParams``. The query of a URL that an interceptor sets is sent
    /// before these parameters, except for parameters with a name that it changes in ``urlParams`` as well.
    public let url: String

    /// The method. If ``HTTPMethod`` has none for a request of the SDK, it is `POST`, and the request keeps its own unless an interceptor
    /// returns another one.
    public let method: HTTPMethod

    /// The headers, without `Content-Type` and `Accept` if ``requestType`` and ``responseType`` state them. If a header states them as
    /// well, it is sent instead. A `Cookie` is sent in addition to the stored cookies of other names.
    public let headers: [String: String]

    /// The parameters in the body: the fields of a form, or the members of a JSON object. It is empty for any other body.
    ///
    /// A body that contains none is sent unchanged unless an interceptor sets some. If an interceptor removes them all, there is no body.
    public let bodyParams: [String: Any]

    /// The parameters of the query. Of a parameter with several values, it contains the first.
    public let urlParams: [String: String]

    /// The media type that is accepted in the response.
    public let responseType: ContentType

    /// The media type of the body that contains ``bodyParams``.
    public let requestType: ContentType

    /// The maximum duration of the complete call, in seconds. It must be greater than zero.
    public let timeoutInterval: Double

    /// The media type of a request or response.
    public enum ContentType: String, Sendable {
        /// `text/plain`. Body parameters are sent as lines of the form `name=value`, sorted by name.
        case plainText = "text/plain"
        /// `application/json`. Body parameters are strings, numbers, Boolean values, `nil`, and arrays and dictionaries of them.
        case json = "application/json"
        /// `application/x-www-form-urlencoded`. Body parameters are sent as text.
        case urlEncoded = "application/x-www-form-urlencoded"
    }

    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// The method of a request.
    public enum HTTPMethod: String, Sendable {
        /// `GET`.
        case GET
        /// `PUT`.
        case PUT
        /// `POST`.
        case POST
        /// `DELETE`.
        case DELETE
    }

    /// Creates a request from its parts; see the properties for their meaning.
    ///
    /// - Parameters:
    ///   - url: The absolute URL.
    ///   - method: The method.
    ///   - headers: The headers, by name.
    ///   - bodyParams: The parameters in the body, by name.
    ///   - urlParams: The parameters of the query, by name. They are percent-encoded when the request is sent.
    ///   - requestType: The media type of the body.
    ///   - responseType: The media type that is accepted in the response.
    ///   - timeoutInterval: The maximum duration of the complete call, in seconds.
    public init(
        url: String,
        method: HTTPMethod,
        headers: [String: String] = [:],
        bodyParams: [String: Any] = [:],
        urlParams: [String: String] = [:],
        requestType: ContentType = .json,
        responseType: ContentType = .json,
        timeoutInterval: Double = 60
    ) {
        self.url = url
        self.method = method
        self.headers = headers
        self.bodyParams = bodyParams
        self.urlParams = urlParams
        self.requestType = requestType
        self.responseType = responseType
        self.timeoutInterval = timeoutInterval
    }

    /// Returns the request with its complete URL, its headers and its encoded body; `nil` if a part of it is invalid.
    public func build() -> URLRequest? {
        var request = HttpRequest(url: url)
        request.setHeader(name: NetworkConstants.headerAccept, value: responseType.rawValue)
        request = request.applying(self, to: Request(url: url, method: .GET, responseType: responseType))
        guard let head = try? request.head(), let scheme = head.scheme, let authority = head.authority,
            let url = URL(string: "\(scheme)://\(authority)\(head.path ?? "")")
        else { return nil }
        var built = URLRequest(url: url, timeoutInterval: timeoutInterval)
        built.httpMethod = head.method.rawValue
        for field in head.headerFields { built.addValue(field.value, forHTTPHeaderField: field.name.rawName) }
        if case .data(let body) = request.body { built.httpBody = body }
        return built
    }
}
