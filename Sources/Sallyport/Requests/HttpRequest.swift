import Foundation
import HTTPTypes
import SallyportTransport

/// An HTTP request, which can be sent any number of times.
///
/// It is a value type: changing a copy does not change the original.
///
/// ```swift
/// let response = try await client.request { request in
///     request.url = "https://api.example.com/users"
///     request.setHeader(name: "Accept", value: "application/json")
///     request.post(json: ["name": "John Doe"])
/// }
/// ```
///
/// Methods that receive an invalid value, such as a line break in a header, do not throw. Sending the request then fails with
/// ``NetworkError/invalidRequest(_:)`` for the first invalid value, before anything is sent. An invalid method, header, body or timeout
/// is forgotten when it is set again.
public struct HttpRequest: Sendable {
    private var contents = CopyOnWriteBox(HttpRequestContents())

    /// The timeouts of the client that sends the request, if it has none of its own. They are not part of the contents, which would have
    /// to be copied for each call.
    private var clientTimeouts: ClientTimeouts?

    /// The absolute `http` or `https` URL. Its query is preserved, and its fragment is not sent.
    public var url: String? {
        get { contents.value.url }
        set {
            // The contents are copied only for other bytes. Strings are also equal if their characters are encoded differently.
            if let newValue, let url = contents.value.url, newValue.utf8.elementsEqual(url.utf8) { return }
            contents.value.url = newValue
        }
    }

    /// The parameters that are appended to the URL's query, in order.
    public package(set) var parameters: [(name: String, value: String)] {
        get { contents.value.parameters }
        _modify { yield &contents.value.parameters }
    }

    /// The template of the URL's path, such as `/users/{id}`; `nil` if it is unknown. It is not sent.
    ///
    /// `SallyportTelemetry` names spans with it, so it must not contain values, such as identifiers. `SallyportService` sets it for
    /// endpoints, and a redirect removes it.
    ///
    /// ```swift
    /// request.url = "https://api.example.com/users/\(id)"
    /// request.urlTemplate = "/users/{id}"
    /// ```
    public var urlTemplate: String? {
        get { contents.value.options?.value.urlTemplate }
        set { contents.value.mutableOptions.urlTemplate = newValue }
    }

    /// The content that follows the head. Methods such as ``post(contentType:body:)-(_,String)`` set it too.
    public var body: RequestBody {
        get { contents.value.body }
        set {
            contents.value.body = newValue
            clearProblems(of: .body)
        }
    }

    /// The maximum duration of the complete call, in seconds, which replaces the total in ``timeouts``.
    ///
    /// It must be greater than zero; `.infinity` disables it. An event stream is one call, including all its connections.
    public var timeout: TimeInterval? {
        get { contents.value.options?.value.timeout }
        set {
            contents.value.mutableOptions.timeout = newValue
            clearProblems(of: .timeout)
            checkTimeout()
        }
    }

    /// The maximum durations of each phase. They replace the timeouts of the client's configuration.
    ///
    /// An interceptor sees the configuration's timeouts if the caller has set none. ``timeout`` replaces the total.
    public var timeouts: Timeouts? {
        get { (contents.value.options?.value.timeouts ?? clientTimeouts?.value).map { replacingTotal(of: $0) } }
        set {
            clientTimeouts = nil
            contents.value.mutableOptions.timeouts = newValue
        }
    }

    /// A Boolean value that indicates whether the changes that each stage makes are recorded in ``HttpResponse/trace`` or the error's.
    public var isTraced: Bool {
        get { contents.value.isTraced }
        set { contents.value.isTraced = newValue }
    }

    /// A Boolean value that indicates whether the body is sent only after the server's `100 Continue` (RFC 9110, section 10.1.1).
    public var expectsContinue: Bool {
        get { contents.value.expectsContinue }
        set { contents.value.expectsContinue = newValue }
    }

    /// A Boolean value that indicates whether the request is refused if others could read it in transit. The default is `false`.
    ///
    /// It is then sent over TLS, or over plain HTTP directly to a loopback address, such as a development server's. Plain HTTP to any
    /// other address or through a proxy fails with ``NetworkError/invalidRequest(_:)`` before anything is sent. On Apple
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

    /// A closure that returns the trailer fields, called after the body has been sent (RFC 9110, section 6.5).
    public var trailers: (@Sendable () async throws -> HTTPFields)? {
        get { contents.value.options?.value.trailers }
        set { contents.value.mutableOptions.trailers = newValue }
    }

    /// A closure that is called for each informational response (1xx) when it is received.
    public var onInformational: (@Sendable (HTTPResponse) -> Void)? {
        get { contents.value.options?.value.onInformational }
        set { contents.value.mutableOptions.onInformational = newValue }
    }

    /// A closure that is called for each informational response when it is received, with the URL of the request that it answers.
    package var onInformationalFrom: (@Sendable (HTTPResponse, _ url: String) -> Void)? {
        get { contents.value.options?.value.onInformationalFrom }
        set { contents.value.mutableOptions.onInformationalFrom = newValue }
    }

    /// The purpose of a request that the SDK itself sends; `nil` for your own requests, unless you set it.
    public var action: Action? {
        get { contents.value.options?.value.action }
        set { contents.value.mutableOptions.action = newValue }
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

    /// The retry policy that replaces the client's. Use ``RetryPolicy/never`` to send the request once.
    public var retry: RetryPolicy? {
        get { contents.value.options?.value.retry?.value }
        set { contents.value.mutableOptions.retry = newValue.map(CopyOnWriteBox.init) }
    }

    /// The method. The default is GET. Setting it does not change the body.
    public var method: HttpMethod {
        get { contents.value.method }
        set {
            contents.value.method = newValue
            clearProblems(of: .method)
        }
    }

    package var fields: HTTPFields {
        get { contents.value.fields }
        _modify { yield &contents.value.fields }
    }

    /// The origin that the attached cookies are for. A wire interceptor that sends the request to another one makes the call fail.
    var cookieOrigin: String? {
        get { contents.value.cookieOrigin }
        set { contents.value.cookieOrigin = newValue }
    }

    /// The origin of the first request of a chain of redirects or pages; `nil` for the first request. No other origin receives its
    /// credentials.
    var firstOrigin: String? {
        get { contents.value.options?.value.firstOrigin }
        set { contents.value.mutableOptions.firstOrigin = newValue }
    }

    /// The last event that a stream of events has received; `nil` for other requests. Redirects send its id to its own origin only.
    var lastEvent: LastEvent? {
        get { contents.value.options?.value.lastEvent }
        set { contents.value.mutableOptions.lastEvent = newValue }
    }

    /// The headers that were attached for one origin only. A wire interceptor that sends them to another one makes the call fail.
    var boundHeaders: [BoundHeader] {
        get { contents.value.boundHeaders }
        _modify { yield &contents.value.boundHeaders }
    }

    /// The invalid values that methods have received.
    package var problems: [NetworkFailure] { contents.value.options?.value.problems.map(\.failure) ?? [] }

    /// Creates a GET request.
    ///
    /// - Parameter url: The URL, which can also be set later.
    public init(url: String? = nil) {
        self.url = url
    }

    /// Records an invalid value. Sending the request then throws it.
    package mutating func recordProblem(_ problem: NetworkFailure) {
        contents.value.mutableOptions.problems.append(RequestProblem(failure: problem, part: nil))
    }

    /// Records an invalid value of a part of the request, in place of earlier ones. Sending the request then throws it, unless the part
    /// is set again before.
    mutating func recordProblem(_ problem: NetworkFailure, of part: RequestPart) {
        clearProblems(of: part)
        contents.value.mutableOptions.problems.append(RequestProblem(failure: problem, part: part))
    }

    /// Forgets the invalid values of a part that is set again.
    mutating func clearProblems(of part: RequestPart) {
        if contents.value.options?.value.problems.isEmpty ?? true { return }
        contents.value.mutableOptions.problems.removeAll { $0.part == part }
    }
}

/// The timeouts of a client, which its requests share.
final class ClientTimeouts: Sendable {
    let value: Timeouts

    init(_ value: Timeouts) {
        self.value = value
    }
}

extension HttpRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The method and the URL without its query, such as `GET https://api.example.com/search?…`.
    public var description: String {
        let target = try? RequestTarget(url: url, parameters: parameters)
        let text = target.map { Redaction.shortUrl($0.url) } ?? Redaction.refusedUrl(url ?? "(no URL)")
        // The path may repeat a secret of the header or the body.
        return "\(method.rawValue) \(SecretMasker(sentBy: self).masked(text))"
    }

    /// The same text as ``description``, which contains no secrets.
    public var debugDescription: String { description }

    /// A mirror of ``description``, so that `dump` shows no secrets.
    public var customMirror: Mirror { Mirror(self, children: ["request": description], displayStyle: .struct) }
}

extension HttpRequest {
    fileprivate mutating func checkTimeout() {
        if let timeout, let problem = TimeLimit.problem(with: timeout) { recordProblem(problem, of: .timeout) }
    }

    /// Sets the timeouts of the client that sends the request, which apply if it has none of its own.
    mutating func useTimeouts(of client: ClientTimeouts) {
        if clientTimeouts == nil, contents.value.options?.value.timeouts == nil { clientTimeouts = client }
    }

    /// The timeouts of this request and, where it has none, the defaults.
    var effectiveTimeouts: Timeouts { timeouts ?? replacingTotal(of: Timeouts()) }

    /// Returns timeouts with ``timeout`` as the total, if it is set.
    private func replacingTotal(of timeouts: Timeouts) -> Timeouts {
        var timeouts = timeouts
        if let timeout { timeouts.total = TimeLimit.duration(timeout) }
        return timeouts
    }
}

/// Conversions of timeouts in seconds.
package enum TimeLimit {
    /// Returns a timeout as a duration; `nil` if it is at least 1e9 seconds. A negative timeout, which is refused later, becomes zero.
    package static func duration(_ seconds: TimeInterval) -> Duration? {
        seconds < 1e9 ? .seconds(max(0, seconds)) : nil
    }

    /// Returns a timeout in seconds; infinity for `nil`.
    package static func seconds(_ duration: Duration?) -> TimeInterval {
        duration.map { $0 / .seconds(1) } ?? .infinity
    }

    /// Returns the failure for an invalid timeout; `nil` if it is valid.
    package static func problem(with seconds: TimeInterval) -> NetworkFailure? {
        if seconds > 0 { return nil }
        return NetworkFailure(
            "the timeout of \(seconds) seconds is not greater than zero",
            advice: "use a number of seconds, or .infinity for no limit"
        )
    }
}
