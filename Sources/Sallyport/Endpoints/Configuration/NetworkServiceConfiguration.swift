import Foundation
import SallyportTransport

/// What a service is told once, for all its calls.
///
/// ```swift
/// var configuration = try NetworkServiceConfiguration(baseURL: "https://api.example.com/v1")
/// configuration.headers["Accept-Language"] = "de"
/// configuration.decoder.dateDecodingStrategy = .iso8601
/// let service = NetworkService(configuration)
/// ```
public struct NetworkServiceConfiguration: Sendable {
    /// How long a call may take unless told otherwise, in seconds.
    public static let defaultTimeout: TimeInterval = 10

    private var serviceURL: ServiceURL

    /// Where the service is: `http` or `https`, a host, and the start of all paths.
    public var baseURL: String { serviceURL.text }

    /// How long a call may take, in seconds; 10 unless set. `.infinity` is no limit.
    public var timeout = NetworkServiceConfiguration.defaultTimeout

    /// Headers of all requests. A value is a secret if the header's name says so, as `Authorization` does.
    public var headers: [String: String] = [:]

    /// What is kept between calls, and who carries transfers.
    public var sessionType = NetworkServiceSessionType.defaultService

    /// What tells the app's transfers from others': the start of their identifiers.
    public var clientBundle = "com.networkservice.api"

    /// Writes bodies of JSON. It must not be changed once a service has it.
    public var encoder = JSONEncoder.ordered

    /// Reads answers of JSON. Each service takes its settings when it is made.
    public var decoder = JSONDecoder()

    /// Writes the parameters of queries.
    public var queryEncoder = URLQueryEncoder()

    /// Writes bodies that are forms.
    public var formEncoder = FormEncoder()

    /// Whether answers stand in an envelope; plain unless set. An endpoint may say otherwise.
    public var answerFormat = AnswerFormat.plain

    /// What the members of an envelope are called.
    public var envelope = EnvelopeKeys()

    /// Which answers are successes. An endpoint may say otherwise.
    public var validation = ResponseValidation()

    /// Makes a configuration.
    ///
    /// - Parameter baseURL: Where the service is, such as `https://api.example.com/v1`. A slash at its end makes no
    ///   difference, but for an endpoint whose path is empty.
    /// - Throws: ``NetworkServiceError/invalidConfiguration(_:)`` saying what is wrong with the URL.
    public init(baseURL: String) throws(NetworkServiceError) {
        do throws(InvalidPath) {
            serviceURL = try ServiceURL(baseURL)
        } catch {
            let advice = "give an absolute URL such as https://api.example.com/v1"
            throw .invalidConfiguration(NetworkServiceErrorInfo("the base URL: \(error.reason)", advice: advice))
        }
    }

    /// Whether a text can be the base URL of a service.
    public static func validateServiceURL(_ url: String) -> Bool {
        (try? ServiceURL(url)) != nil
    }

    /// The URL of an endpoint.
    func url(of path: ResolvedPath) -> String { serviceURL.appending(path.text) }
}

/// What a service keeps between its calls, and who carries its transfers.
public enum NetworkServiceSessionType: String, Sendable, Codable, CaseIterable {
    /// Cookies are those of the client that the service stands on, and are kept as long as it is.
    case defaultService

    /// Cookies are the service's own: it starts without any, and they end with it. Nothing is written to a disk.
    case ephemeral

    /// As ``defaultService``, for services whose uploads and downloads are to outlive the process: they are enqueued in
    /// a ``TransferQueue`` made of ``NetworkService/client``, by the URLs that ``NetworkService/request(for:)`` tells. On
    /// Apple platforms the system's background session carries them there.
    ///
    /// Calls, ``UploadService`` and ``DownloadService`` end with the process in any type of session.
    case background
}

/// Whether what an endpoint gives stands in an envelope.
public enum AnswerFormat: String, Sendable, Codable {
    /// The whole body is the answer.
    case plain
    /// The answer is one member of the body, beside a status; see ``EnvelopeKeys``.
    case enveloped
}

/// The base URL of a service, checked, to which paths are added.
struct ServiceURL: Sendable, Hashable {
    /// With a slash at the end, if it was given with one.
    let text: String
    /// Without a slash at the end.
    private let root: String

    /// - Throws: ``InvalidPath`` saying what is wrong with it.
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
            throw InvalidPath("\"\(Redaction.shortUrl(url))\" holds a space or a backslash")
        }
        for segment in target.path.split(separator: "/") {
            let decoded = segment.removingPercentEncoding ?? String(segment)
            if decoded == "." || decoded == ".." {
                throw InvalidPath("\"\(Redaction.shortUrl(url))\" leads to another folder by \"\(segment)\"")
            }
        }
        text = target.url
        root = target.origin + String(target.path.reversed().drop { $0 == "/" }.reversed())
    }

    /// The URL of a path, which is empty or starts with a slash.
    func appending(_ path: String) -> String { path.isEmpty ? text : root + path }
}
