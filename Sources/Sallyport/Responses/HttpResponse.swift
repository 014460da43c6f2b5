import Foundation
import HTTPTypes
import SallyportStorage
import SallyportTransport

/// An HTTP response, including the request as it was sent.
///
/// ```swift
/// if response.status.isSuccess() {
///     let user = try response.decode(User.self)
/// }
/// ```
public struct HttpResponse: Sendable {
    private var contents: CopyOnWriteBox<HttpResponseContents>

    /// The status, such as 200 or 404. A call does not throw because of its status.
    public var status: HttpStatus {
        get { contents.value.status }
        set { contents.value.status = newValue }
    }

    /// The header fields.
    public var headers: HttpHeaders {
        get { contents.value.headers }
        _modify { yield &contents.value.headers }
    }

    /// The body; `nil` if it is streamed, see ``bodyStream``.
    public var body: Data? {
        get { contents.value.body }
        set { contents.value.replaceBody(with: newValue) }
    }

    /// The request as it was sent: the final URL, method and headers after all interceptors and redirects.
    public var request: HttpRequest {
        get { contents.value.request }
        _modify { yield &contents.value.request }
    }

    /// The changes that each stage made to the request; `nil` unless ``HttpRequest/isTraced`` is set.
    ///
    /// It is set after all interceptors have returned, so they do not see it.
    public var trace: InterceptorTrace? {
        get { contents.value.trace }
        set { contents.value.trace = newValue }
    }

    /// The properties of the connection and the durations of the phases.
    public var connection: ConnectionFacts {
        get { contents.value.connection }
        _modify { yield &contents.value.connection }
    }

    /// The informational responses (1xx) that preceded this one.
    public var informational: [HTTPResponse] {
        get { contents.value.informational }
        _modify { yield &contents.value.informational }
    }

    /// The number of times that ``RetryPolicy`` sent the request.
    ///
    /// An interceptor that sends a request more than once may add its own attempts.
    public var attempts: Int {
        get { contents.value.attempts }
        set { contents.value.attempts = newValue }
    }

    /// The part that the client's cache had in the response (RFC 9211); `nil` if the client has no ``HttpClientConfiguration/cache``.
    public internal(set) var cacheStatus: HttpCacheStatus? {
        get { contents.value.cacheStatus }
        set { contents.value.cacheStatus = newValue }
    }

    /// The body in memory before decoding, if it was captured and no interceptor has replaced the body.
    var encoded: EncodedContent? { contents.value.encoded }

    /// Creates a response, for tests and for interceptors that do not send the request.
    ///
    /// - Parameters:
    ///   - status: The status.
    ///   - headers: The header fields.
    ///   - body: The body in memory.
    ///   - request: The request that it answers.
    public init(status: HttpStatus, headers: HttpHeaders = [:], body: Data? = Data(), request: HttpRequest) {
        contents = CopyOnWriteBox(HttpResponseContents(status: status, headers: headers, body: body, request: request))
    }

    /// Creates a response with a streamed body.
    // Not inlined: its local values would belong to the frame of a function that waits for the response.
    @inline(never)
    init(_ response: TransportResponse, to request: HttpRequest) {
        contents = CopyOnWriteBox(
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

    /// Returns the response with its body collected in memory, and its trailers.
    ///
    /// - Throws: ``NetworkError``. Its failure contains the head of the response.
    package nonisolated(nonsending) consuming func collected(
        upTo limit: Int
    ) async throws(NetworkError) -> HttpResponse {
        guard let stream = contents.value.stream else { return self }
        let body: Data
        do throws(NetworkError) {
            body = try await stream.collect(upTo: limit)
        } catch {
            var error = error
            let head = HTTPResponse(status: status, headerFields: headers.fields)
            error.failure.receivedHead = ReceivedHead(head, connection)
            throw error
        }
        contents.value.replaceBody(with: body, trailers: stream.trailers, isDecoded: stream.isDecoded)
        return self
    }

    /// Returns the response with its body collected in memory, in the form that the stages of a call need.
    nonisolated(nonsending) consuming func collected(
        upTo limit: Int,
        of call: Call
    ) async throws(NetworkError) -> HttpResponse {
        let isWaiting = contents.value.stream.map { !$0.source.isReceived } ?? false
        if isWaiting, call.discards?(self) == true { return await withBeginningOfBody() }
        if call.capturesEncodedBody { return try await capturedAndCollected(upTo: limit) }
        return try await collected(upTo: limit)
    }

    /// Returns the response with the part of its body that arrives within a second, up to 64 KiB. The rest is discarded.
    private func withBeginningOfBody() async -> HttpResponse {
        let stream = bodyStream
        let beginning = await stream.beginning(upTo: 65_536, within: .seconds(1))
        stream.cancel()
        var copy = self
        copy.contents.value.replaceBody(
            with: beginning.bytes,
            trailers: stream.trailers,
            isDecoded: stream.isDecoded
        )
        copy.contents.value.isCut = !beginning.isComplete
        return copy
    }

    /// A Boolean value that indicates whether the rest of the body was not received, because a stage discards the response.
    package var isCut: Bool { contents.value.isCut }

    /// Returns the response with its body collected in memory, also as it was before decoding; see ``encoded``.
    private func capturedAndCollected(upTo limit: Int) async throws(NetworkError) -> HttpResponse {
        guard let encoded = bodyStream.encoded else { return try await collected(upTo: limit) }
        let captured = Locked(Data())
        encoded.observe { chunk in captured.withLock { $0.append(chunk) } }
        var copy = try await collected(upTo: limit)
        copy.contents.value.encoded = EncodedContent(fields: encoded.fields, data: captured.withLock { $0 })
        return copy
    }

    /// Returns the response with a body in memory.
    func withBody(_ body: Data) -> HttpResponse {
        var copy = self
        copy.body = body
        return copy
    }
}

/// A body before its content codings are decoded.
struct EncodedContent: Sendable {
    /// The fields that describe the body, which the head of the decoded response does not have.
    let fields: HTTPFields
    let data: Data
}

/// The properties of a response. They are stored on the heap, as the properties of a request are.
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
    /// A Boolean value that indicates whether the transport has decoded the body in memory.
    var isDecoded = false
    var encoded: EncodedContent?
    var isCut = false
    var trace: InterceptorTrace?
    var cacheStatus: HttpCacheStatus?

    /// Replaces the body with one in memory.
    ///
    /// - Parameter trailers: The trailers of a streamed body that has been collected; `nil` to keep the trailers of the previous body.
    mutating func replaceBody(with data: Data?, trailers: HTTPFields? = nil, isDecoded: Bool = false) {
        body = data
        self.isDecoded = isDecoded
        encoded = nil
        stream = nil
        if let trailers { collectedTrailers = trailers }
    }
}

extension HttpResponse {
    /// The body in chunks as they are received. It can be read once, inside the closure of ``HttpClient/stream(_:handle:)``.
    ///
    /// A body in memory is one chunk.
    ///
    /// An interceptor that observes or changes a streamed body sets a stream that reads from the original one. Setting a stream removes
    /// the body in memory.
    public var bodyStream: ResponseBody {
        get {
            let contents = contents.value
            return contents.stream
                ?? ResponseBody(
                    contents.body ?? Data(),
                    trailers: contents.collectedTrailers,
                    isDecoded: contents.isDecoded
                )
        }
        set {
            contents.value.replaceBody(with: nil)
            contents.value.stream = newValue
        }
    }

    /// The trailer fields (RFC 9110, section 6.5). For a streamed response they are available after its body has been read to the end.
    public var trailers: HTTPFields {
        contents.value.stream?.trailers ?? contents.value.collectedTrailers
    }

    /// Returns the first value of a header. The name is not case-sensitive.
    public func getHeader(name: String) -> String? {
        headers[name]?.first
    }

    /// Returns all values of a header, joined with commas (RFC 9110, section 5.3). The name is not case-sensitive.
    ///
    /// The values of `Set-Cookie` cannot be separated again; use ``getCookieStrings()``.
    public func getCombinedHeader(name: String) -> String? {
        headers[name]?.joined(separator: ", ")
    }

    /// Returns all values of a header, in order. The name is not case-sensitive.
    public func getHeaders(name: String) -> [String] {
        headers[name] ?? []
    }
}

extension HttpResponse {
    /// Returns the body as text; empty if it is not in memory.
    ///
    /// The byte order mark, or else the charset in `Content-Type`, determines the encoding: UTF-8, UTF-16, ISO-8859-1 or windows-1252,
    /// and UTF-8 for any other charset. Invalid bytes become the replacement character (U+FFFD).
    public func bodyAsString() -> String {
        BodyText.decode(body ?? Data(), contentType: getHeader(name: NetworkConstants.headerContentType))
    }
}

extension HttpResponse {
    /// Returns the cookies that the response sets, except those that clients must ignore (RFC 6265bis).
    public func getCookies() -> [Cookie] {
        guard let url = request.url.flatMap(URL.init(string:)) else { return [] }
        return getCookieStrings().compactMap { Cookie.parse(setCookie: $0, from: url, at: Date()) }
    }

    /// Returns the values of the `Set-Cookie` headers, one for each cookie.
    public func getCookieStrings() -> [String] {
        headers.fields[values: .setCookie]
    }
}

extension HttpResponse {
    /// Discards the rest of the body, without waiting for bytes that have not been received.
    ///
    /// The transport closes the connection, or receives a short rest in the background if the connection can then be reused.
    ///
    /// An interceptor calls it before it sends the request again instead of returning the response:
    ///
    /// ```swift
    /// let response = try await next(request)
    /// guard response.status == .unauthorized else { return response }
    /// await response.discard()
    /// return try await next(request.with(newToken))
    /// ```
    public func discard() async {
        // A cache stores a body that is read to its end.
        if bodyStream.source.isReceived, (try? await bodyStream.collect(upTo: 65_536)) != nil { return }
        bodyStream.cancel()
    }
}

extension HttpResponse: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The request's method and URL, and the status, without secrets.
    public var description: String { "\(request) -> \(statusSummary)" }

    /// The same text as ``description``, which contains no secrets.
    public var debugDescription: String { description }

    /// A mirror of ``description``, so that `dump` shows no secrets.
    public var customMirror: Mirror { Mirror(self, children: ["response": description], displayStyle: .struct) }
}
