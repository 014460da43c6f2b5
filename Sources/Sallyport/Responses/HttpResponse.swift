import Foundation
import HTTPTypes
import SallyportTransport

/// A response, holding the request as it was sent.
///
/// ```swift
/// if response.status.isSuccess() {
///     let user = try response.decode(User.self)
/// }
/// ```
public struct HttpResponse: Sendable {
    /// The status, such as 200 or 404. No status is an error by itself.
    public var status: HttpStatus

    /// The header fields, each name with all its values.
    public var headers: HttpHeaders

    /// The body; `nil` if it is streamed, then see ``bodyStream``.
    public var body: Data? {
        didSet { stream = nil }
    }

    /// The request as it was sent: its final URL, method and headers, after all interceptors and redirects.
    public var request: HttpRequest

    /// What is known of the connection, and how long each phase took.
    public var connection: ConnectionFacts

    /// The informational responses (1xx) that came before this one.
    public var informational: [HTTPResponse]

    private var stream: ResponseBody?
    private var collectedTrailers = HTTPFields()

    /// Makes a response, for interceptors that answer by themselves and for tests.
    ///
    /// - Parameters:
    ///   - status: The status.
    ///   - headers: The header fields.
    ///   - body: The body, in memory.
    ///   - request: The request that it answers.
    public init(status: HttpStatus, headers: HttpHeaders = [:], body: Data? = Data(), request: HttpRequest) {
        self.status = status
        self.headers = headers
        self.body = body
        self.request = request
        connection = ConnectionFacts()
        informational = []
    }

    /// Makes a response whose body is still to come.
    init(_ response: TransportResponse, to request: HttpRequest) {
        status = response.head.status
        headers = HttpHeaders(response.head.headerFields)
        self.request = request
        connection = response.connection
        informational = response.informational
        stream = response.body
    }

    /// The same response with its body in memory.
    func collected(upTo limit: Int) async throws(NetworkError) -> HttpResponse {
        guard let stream else { return self }
        var copy = self
        copy.body = try await stream.collect(upTo: limit)
        copy.collectedTrailers = stream.trailers
        return copy
    }
}

extension HttpResponse {
    /// The body in chunks as they come, to be read once, inside the closure of ``HttpClient/stream(_:handle:)``.
    ///
    /// A body that is in memory is one chunk.
    ///
    /// An interceptor that watches or changes a streamed body sets one that reads from it. The body in memory, if there
    /// was one, is dropped by that.
    public var bodyStream: ResponseBody {
        get { stream ?? ResponseBody(body ?? Data(), trailers: collectedTrailers) }
        set {
            body = nil
            stream = newValue
        }
    }

    /// The trailer fields (RFC 9110, section 6.5); of a streamed response, once its body has been read to the end.
    public var trailers: HTTPFields {
        stream?.trailers ?? collectedTrailers
    }

    /// The value of a header, in any case of its name; several are joined with a comma.
    public func getHeader(name: String) -> String? {
        headers[name]?.joined(separator: ", ")
    }

    /// All values of a header, in any case of its name and in order.
    public func getHeaders(name: String) -> [String] {
        headers[name] ?? []
    }
}
