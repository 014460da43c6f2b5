import Foundation
import Sallyport
import SallyportTransfers
import SallyportTransport

/// The configuration of a service.
///
/// ```swift
/// var configuration = try NetworkServiceConfiguration(baseURL: "https://api.example.com/v1")
/// configuration.headers["Accept-Language"] = "de"
/// configuration.decoder.dateDecodingStrategy = .iso8601
/// let service = NetworkService(configuration)
/// ```
public struct NetworkServiceConfiguration: Sendable {
    /// The default timeout of a call, in seconds.
    public static let defaultTimeout: TimeInterval = 10

    private var serviceURL: ServiceURL

    /// The base URL of the service: `http` or `https`, a host, and the common prefix of all paths.
    public var baseURL: String { serviceURL.text }

    /// The timeout of a call in seconds; 10 by default. `.infinity` disables it.
    public var timeout = NetworkServiceConfiguration.defaultTimeout

    /// The headers of all requests. A value is treated as a secret if the name of the header indicates it, such as
    /// `Authorization`.
    public var headers: [String: String] = [:]

    /// The handling of redirects in calls, uploads and downloads; `nil`, the default, for that of the client, which refuses
    /// them unless its configuration says otherwise.
    ///
    /// ```swift
    /// configuration.redirects = .follow(limit: 5)
    /// ```
    public var redirects: RedirectPolicy?

    /// The lifetime of cookies and transfers.
    public var sessionType = NetworkServiceSessionType.defaultService

    /// The prefix of the identifiers of all transfers, which distinguishes them from the transfers of other apps.
    public var clientBundle = "com.networkservice.api"

    /// A Boolean value that indicates whether specified identifiers of transfers receive the prefix; random ones always do.
    package var prefixesIdentifiers = true

    /// The folder in which a service with the session type ``NetworkServiceSessionType/background`` stores its transfers,
    /// which only its owner may access; by default a folder of the ``clientBundle`` in the folder for application support.
    public var transferFolder: URL?

    /// The encoder for JSON bodies. It must not be modified once a service uses it.
    public var encoder = JSONEncoder.ordered

    /// The decoder for JSON responses. A service copies its settings when it is created.
    public var decoder = JSONDecoder()

    /// The encoder for query parameters.
    public var queryEncoder = URLQueryEncoder()

    /// The encoder for URL-encoded forms.
    public var formEncoder = FormEncoder()

    /// The format of responses; ``ResponseFormat/plain`` by default. An endpoint may override it.
    public var responseFormat = ResponseFormat.plain

    /// The keys of an envelope.
    public var envelope = EnvelopeKeys()

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

    /// Returns a Boolean value that indicates whether a text is a valid base URL of a service.
    public static func validateServiceURL(_ url: String) -> Bool {
        (try? ServiceURL(url)) != nil
    }

    /// Returns the URL of an endpoint.
    func url(of path: ResolvedPath) -> String { serviceURL.appending(path.text) }

    /// Returns the template of an endpoint's URL: the path of the base URL and the path of the endpoint without values.
    func template(of path: EndpointPath) -> String { serviceURL.path + path.template }
}

/// The lifetime of a service's cookies and transfers.
public enum NetworkServiceSessionType: String, Sendable, Codable, CaseIterable {
    /// The service uses the cookies of the client that it was created with. They have the lifetime of that client.
    case defaultService

    /// The service has its own cookies, initially none, which are discarded with it and never written to disk.
    case ephemeral

    /// The same as ``defaultService``, and the transfers of ``UploadService`` and ``DownloadService`` outlive the process.
    /// Calls do not.
    ///
    /// Each transfer is stored in a folder of its own below ``NetworkServiceConfiguration/transferFolder``, and is
    /// found again by its identifier: if the process ends, repeat the upload or download in a later process with the same
    /// identifier to continue it, or to receive its result. ``NetworkService/backgroundTransfers()`` returns the
    /// identifiers. On Apple platforms a background `URLSession` performs each transfer, also while the app does not run;
    /// it is invalidated when the transfer has ended. On Linux the process that calls the service performs it.
    ///
    /// ```swift
    /// configuration.sessionType = .background
    /// let service = NetworkService(configuration)
    /// let downloads = DownloadService(service, downloadIdentifier: "map")
    /// let map = try await downloads.download(downloadPath: "/maps/rome", fileName: "rome.zip")
    /// ```
    ///
    /// - Identifiers consist of letters, digits, dots, dashes and underscores. Only one call at a time can use one.
    /// - A transfer is continued only by a call with the same URL and destination. An upload must have the same files too, or none if
    ///   they no longer exist.
    /// - A transfer is removed when it has succeeded, and by `cancelUploadRequest()`, `cancelDownloadRequest()` and
    ///   ``NetworkService/removeBackgroundTransfer(_:)``. A failed transfer, and one whose task or service was cancelled, is
    ///   continued when it is repeated, or removed if its service was created without an identifier.
    /// - Headers with secrets are not stored. Set them in the service's configuration, or authorize its client.
    /// - Of the response to an upload, the status and the first 64 KiB of the body are available, and of a download only the
    ///   file. ``DownloadOptions/resumes``, ``UploadOptions/journal`` and a timeout that an endpoint sets have no effect.
    /// - On Apple platforms a request is sent with the client's credentials and cookies at the time at which it starts. The
    ///   system does not refresh tokens. It follows redirects by its own rules, and may send these headers to their targets:
    ///   use it only with servers that do not redirect to others. A transfer fails before anything is sent if the client
    ///   seals requests or enforces pins for the server, which the system cannot do.
    case background
}

/// The format of an endpoint's response.
public enum ResponseFormat: String, Sendable, Codable {
    /// The body is the response.
    case plain
    /// The response is one member of the body, beside a status; see ``EnvelopeKeys``.
    case enveloped
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
