import Foundation
import HTTPTypes
import SallyportTransport

/// A request, built step by step and sent as often as one likes.
///
/// It is a value: a copy can be changed without changing the original.
///
/// ```swift
/// let response = try await client.request { request in
///     request.url = "https://api.example.com/users"
///     request.setHeader(name: "Accept", value: "application/json")
///     request.post(json: ["name": "John Doe"])
/// }
/// ```
///
/// Mistakes made on the way, such as a line break in a header, do not stop the building: the first of them is
/// thrown as ``NetworkError/invalidRequest(_:)`` when the request is sent, before anything leaves.
public struct HttpRequest: Sendable {
    private var contents = Boxed(HttpRequestContents())

    /// Where to send it: an absolute `http` or `https` URL. Its own query is kept, its fragment is not sent.
    public var url: String? {
        get { contents.value.url }
        set { contents.value.url = newValue }
    }

    /// The parameters that follow the URL's own query, in order.
    public internal(set) var parameters: [(name: String, value: String)] {
        get { contents.value.parameters }
        _modify { yield &contents.value.parameters }
    }

    /// What is sent after the head. Methods such as ``post(contentType:body:)-(_,String)`` set it too.
    public var body: RequestBody {
        get { contents.value.body }
        set {
            contents.value.body = newValue
            contents.value.formText = nil
        }
    }

    /// How long the whole call may take, in seconds; takes the place of the total in ``timeouts``.
    ///
    /// Must be greater than zero; `.infinity` is no limit. A stream of events is one call, however many connections it
    /// takes.
    public var timeout: TimeInterval? {
        get { contents.value.timeout }
        set {
            contents.value.timeout = newValue
            checkTimeout()
        }
    }

    /// How long each phase may take, in place of what the client is configured with.
    public var timeouts: Timeouts? {
        get { contents.value.timeouts }
        _modify { yield &contents.value.timeouts }
    }

    /// Whether ``HttpResponse/trace``, or the error's, tells what each stage on the way changed of it.
    public var isTraced: Bool {
        get { contents.value.isTraced }
        set { contents.value.isTraced = newValue }
    }

    /// Whether the body waits for the server's `100 Continue` (RFC 9110, section 10.1.1).
    public var expectsContinue: Bool {
        get { contents.value.expectsContinue }
        set { contents.value.expectsContinue = newValue }
    }

    /// A Boolean value that indicates whether the request is refused if others could read it on its way. The default is `false`.
    ///
    /// It is then sent over TLS, or over plain HTTP directly to a loopback address, as that of a development server. Plain HTTP
    /// to any other address or through a proxy fails with ``NetworkError/invalidRequest(_:)`` before anything is sent. On Apple
    /// platforms, where the system resolves names and chooses proxies, only the host name decides: `localhost`, `*.localhost`
    /// or a loopback address.
    ///
    /// ```swift
    /// request.setHeader(name: "X-API-Key", value: key, isSensitive: true)
    /// request.requiresSecureTransport = true
    /// ```
    public var requiresSecureTransport: Bool {
        get { contents.value.requiresSecureTransport }
        set { contents.value.requiresSecureTransport = newValue }
    }

    /// Asked for the trailer fields once the body has been sent (RFC 9110, section 6.5).
    public var trailers: (@Sendable () async throws -> HTTPFields)? {
        get { contents.value.trailers }
        set { contents.value.trailers = newValue }
    }

    /// Called for each informational response (1xx) as it comes.
    public var onInformational: (@Sendable (HTTPResponse) -> Void)? {
        get { contents.value.onInformational }
        set { contents.value.onInformational = newValue }
    }

    /// Called for each informational response as it comes, with the URL, after redirects, that it answers.
    var onInformationalFrom: (@Sendable (HTTPResponse, _ url: String) -> Void)? {
        get { contents.value.onInformationalFrom }
        set { contents.value.onInformationalFrom = newValue }
    }

    /// What the request is for, if the SDK itself sends it; ``RequestInterceptor``s see such requests, and only them.
    public var action: Action? {
        get { contents.value.action }
        set { contents.value.action = newValue }
    }

    /// A Boolean value that indicates whether the request carries the credentials that it needs. The default is `false`.
    ///
    /// Requests that the SDK sends itself often do, such as a token request with a client secret in its form. They receive no
    /// access token from an interceptor that authenticates a user's calls, which would send the token to a server that it is not
    /// meant for, or refresh tokens in order to refresh tokens. An ``Interceptor`` of your own that attaches tokens should respect
    /// the mark as well. ``BasicAuthentication`` and ``DigestAuthentication`` do not depend on it: they authenticate to a server,
    /// such as a gateway in front of the identity server, unless the request has an `Authorization` header.
    ///
    /// ```swift
    /// request.setHeader(name: "X-API-Key", value: key, isSensitive: true)
    /// request.carriesOwnCredentials = true
    /// ```
    public var carriesOwnCredentials: Bool {
        get { contents.value.carriesOwnCredentials }
        set { contents.value.carriesOwnCredentials = newValue }
    }

    /// When it is sent again, in place of what the client is configured with; ``RetryPolicy/never`` to send it once.
    public var retry: RetryPolicy? {
        get { contents.value.retry?.value }
        set { contents.value.retry = newValue.map(Boxed.init) }
    }

    var method: HttpMethod {
        get { contents.value.method }
        set { contents.value.method = newValue }
    }

    var fields: HTTPFields {
        get { contents.value.fields }
        _modify { yield &contents.value.fields }
    }

    /// The body as text while it is one made by ``form(parameters:)-([String:String])``.
    var formText: String? {
        get { contents.value.formText }
        set { contents.value.formText = newValue }
    }

    /// The origin for which cookies were attached, which wire interceptors cannot change.
    var cookieOrigin: String? {
        get { contents.value.cookieOrigin }
        set { contents.value.cookieOrigin = newValue }
    }

    /// The origin for which credentials were attached, which wire interceptors cannot change either.
    var authorizationOrigin: String? {
        get { contents.value.authorizationOrigin }
        set { contents.value.authorizationOrigin = newValue }
    }

    /// The mistakes made so far.
    var problems: [NetworkFailure] { contents.value.problems }

    /// Makes a GET request.
    ///
    /// - Parameter url: Where to send it; can be set later.
    public init(url: String? = nil) {
        self.url = url
    }

    /// Remembers a mistake, to be thrown when the request is sent.
    mutating func remember(_ problem: NetworkFailure) {
        contents.value.problems.append(problem)
    }
}

/// What a request consists of. It is too much to be copied into the frame of each function that a call waits in.
private struct HttpRequestContents: Sendable {
    var url: String?
    var parameters: [(name: String, value: String)] = []
    var body: RequestBody = .none
    var timeout: TimeInterval?
    var timeouts: Timeouts?
    var expectsContinue = false
    var requiresSecureTransport = false
    var isTraced = false
    var trailers: (@Sendable () async throws -> HTTPFields)?
    var onInformational: (@Sendable (HTTPResponse) -> Void)?
    var onInformationalFrom: (@Sendable (HTTPResponse, _ url: String) -> Void)?
    var action: Action?
    var carriesOwnCredentials = false
    var retry: Boxed<RetryPolicy>?
    var method = HttpMethod.get
    var fields = HTTPFields()
    var formText: String?
    var cookieOrigin: String?
    var authorizationOrigin: String?
    var problems: [NetworkFailure] = []
}
