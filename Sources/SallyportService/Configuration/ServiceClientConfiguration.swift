import Foundation
import Sallyport
import SallyportTransport

/// The configuration of a service.
///
/// ```swift
/// var configuration = try ServiceClientConfiguration(baseURL: "https://api.example.com/v1")
/// configuration.headers["Accept-Language"] = "de"
/// configuration.decoder.dateDecodingStrategy = .iso8601
/// let service = ServiceClient(configuration)
/// ```
public struct ServiceClientConfiguration: Sendable {
    private var serviceURL: ServiceURL

    /// The base URL of the service: `http` or `https`, a host, and the common prefix of all paths.
    public var baseURL: String { serviceURL.text }

    /// The timeout of a call in seconds; 10 by default. `.infinity` disables it.
    public var timeout: TimeInterval = 10

    /// The headers of all requests. A value is treated as a secret if the name of the header indicates it, such as
    /// `Authorization`.
    public var headers: [String: String] = [:]

    /// The encoder for JSON bodies. Do not modify it once a service uses it.
    public var encoder = JSONEncoder.ordered

    /// The decoder for JSON responses. A service copies its settings when it is created.
    public var decoder = JSONDecoder()

    /// The encoder for query parameters.
    public var queryEncoder = URLQueryEncoder()

    /// The encoder for URL-encoded forms.
    public var formEncoder = FormEncoder()

    /// The format of responses; ``ResponseFormat/plain`` by default. An endpoint may override it.
    public var responseFormat = ResponseFormat.plain

    /// The criteria for successful responses. An endpoint may override them.
    public var validation = ResponseValidation()

    /// Creates a configuration.
    ///
    /// - Parameter baseURL: The base URL of the service, such as `https://api.example.com/v1`. A trailing slash only
    ///   matters for an endpoint whose path is empty.
    /// - Throws: ``NetworkServiceError/invalidConfiguration(_:)`` with the problem of the URL.
    public init(baseURL: String) throws(NetworkServiceError) {
        do throws(InvalidPath) {
            serviceURL = try ServiceURL(baseURL)
        } catch {
            let advice = "specify an absolute URL such as https://api.example.com/v1"
            throw .invalidConfiguration(NetworkServiceErrorInfo("the base URL: \(error.reason)", advice: advice))
        }
    }

    /// Returns the URL of an endpoint.
    func url(of path: ResolvedPath) -> String { serviceURL.appending(path.text) }

    /// Returns the template of an endpoint's URL: the path of the base URL and the path of the endpoint without values.
    func template(of path: EndpointPath) -> String { serviceURL.path + path.template }
}

/// The validated base URL of a service, to which paths are appended.
struct ServiceURL: Sendable, Hashable {
    /// The URL, with a trailing slash only if it was specified with one.
    let text: String
    /// The URL without a trailing slash.
    private let root: String
    /// The path without a trailing slash.
    let path: String

    /// - Throws: ``InvalidPath`` with the problem.
    init(_ url: String) throws(InvalidPath) {
        let target: RequestTarget
        do throws(NetworkError) {
            target = try RequestTarget(url: url)
        } catch {
            throw InvalidPath(error.failure.description)
        }
        if url.contains("?") || url.contains("#") {
            throw InvalidPath("\"\(Redaction.shortUrl(url))\" has a query or a fragment, to which no path can be added")
        }
        if url.contains(where: \.isWhitespace) || url.contains("\\") {
            throw InvalidPath("\"\(Redaction.shortUrl(url))\" contains a space or a backslash")
        }
        // The target has no dot segments any more.
        for segment in url.split(separator: "/") {
            let decoded = segment.removingPercentEncoding ?? String(segment)
            if decoded == "." || decoded == ".." {
                throw InvalidPath("\"\(Redaction.shortUrl(url))\" contains the dot segment \"\(segment)\"")
            }
        }
        text = target.url
        path = String(target.path.reversed().drop { $0 == "/" }.reversed())
        root = target.origin + path
    }

    /// Returns the URL of a path, which is empty or begins with a slash.
    func appending(_ path: String) -> String { path.isEmpty ? text : root + path }
}
