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
    private var contents: Boxed<HttpResponseContents>

    /// The status, such as 200 or 404. No status is an error by itself.
    public var status: HttpStatus {
        get { contents.value.status }
        set { contents.value.status = newValue }
    }

    /// The header fields, each name with all its values.
    public var headers: HttpHeaders {
        get { contents.value.headers }
        _modify { yield &contents.value.headers }
    }

    /// The body; `nil` if it is streamed, then see ``bodyStream``.
    public var body: Data? {
        get { contents.value.body }
        set {
            contents.value.body = newValue
            contents.value.stream = nil
        }
    }

    /// The request as it was sent: its final URL, method and headers, after all interceptors and redirects.
    public var request: HttpRequest {
        get { contents.value.request }
        _modify { yield &contents.value.request }
    }

    /// What each stage on the way changed of the request; `nil` unless ``HttpRequest/isTraced`` asked for it.
    ///
    /// Interceptors do not see it: it is there once they have all returned.
    public var trace: InterceptorTrace? {
        get { contents.value.trace }
        set { contents.value.trace = newValue }
    }

    /// What is known of the connection, and how long each phase took.
    public var connection: ConnectionFacts {
        get { contents.value.connection }
        _modify { yield &contents.value.connection }
    }

    /// The informational responses (1xx) that came before this one.
    public var informational: [HTTPResponse] {
        get { contents.value.informational }
        _modify { yield &contents.value.informational }
    }

    /// How often the request was sent by ``RetryPolicy`` and ``RequestRetrier`` to get this response.
    public internal(set) var attempts: Int {
        get { contents.value.attempts }
        set { contents.value.attempts = newValue }
    }

    /// Makes a response, for interceptors that answer by themselves and for tests.
    ///
    /// - Parameters:
    ///   - status: The status.
    ///   - headers: The header fields.
    ///   - body: The body, in memory.
    ///   - request: The request that it answers.
    public init(status: HttpStatus, headers: HttpHeaders = [:], body: Data? = Data(), request: HttpRequest) {
        contents = Boxed(HttpResponseContents(status: status, headers: headers, body: body, request: request))
    }

    /// Makes a response whose body is still to come.
    init(_ response: TransportResponse, to request: HttpRequest) {
        contents = Boxed(
            HttpResponseContents(
                status: response.head.status,
                headers: HttpHeaders(response.head.headerFields),
                request: request,
                connection: response.connection,
                informational: response.informational,
                stream: response.body
            )
        )
    }

    /// The same response with its body in memory.
    func collected(upTo limit: Int) async throws(NetworkError) -> HttpResponse {
        guard let stream = contents.value.stream else { return self }
        var copy = self
        copy.body = try await stream.collect(upTo: limit)
        copy.contents.value.collectedTrailers = stream.trailers
        return copy
    }
}

/// What a response consists of, which is kept outside of frames too.
private struct HttpResponseContents: Sendable {
    var status: HttpStatus
    var headers: HttpHeaders
    var body: Data?
    var request: HttpRequest
    var connection = ConnectionFacts()
    var informational: [HTTPResponse] = []
    var attempts = 1
    var stream: ResponseBody?
    var collectedTrailers = HTTPFields()
    var trace: InterceptorTrace?
}

extension HttpResponse {
    /// The body in chunks as they come, to be read once, inside the closure of ``HttpClient/stream(_:handle:)``.
    ///
    /// A body that is in memory is one chunk.
    ///
    /// An interceptor that watches or changes a streamed body sets one that reads from it. The body in memory, if there
    /// was one, is dropped by that.
    public var bodyStream: ResponseBody {
        get { contents.value.stream ?? ResponseBody(body ?? Data(), trailers: contents.value.collectedTrailers) }
        set {
            body = nil
            contents.value.stream = newValue
        }
    }

    /// The trailer fields (RFC 9110, section 6.5); of a streamed response, once its body has been read to the end.
    public var trailers: HTTPFields {
        contents.value.stream?.trailers ?? contents.value.collectedTrailers
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
