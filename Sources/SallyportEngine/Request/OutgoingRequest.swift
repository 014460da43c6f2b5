import HTTPTypes
import SallyportTransport

/// A validated request, ready to be sent by any version of HTTP.
///
/// It is a class, because a structure of its size would be copied several times for each exchange.
final class OutgoingRequest: Sendable {
    let origin: Origin
    let method: HTTPRequest.Method
    let path: String
    /// The host, and the port if it is not the scheme's default, as sent to the server.
    let authority: String
    let body: OutgoingBody
    /// The announced length of the body, or `nil` if the body's end determines it.
    let announcedLength: Int64?
    let expectsContinue: Bool

    /// The form of the request for a forwarding proxy, or `nil` if no proxy reads it.
    let forwarding: Forwarding?

    /// A Boolean value that indicates whether the request asks for the connection to be closed.
    let asksToClose: Bool

    /// The value of `Accept-Encoding` that the engine adds; `nil` if it does not request an encoded body.
    let acceptEncoding: String?

    private let request: TransportRequest
    private let hasExpect: Bool
    private let hasConnection: Bool

    /// Checks a request and frames its body (RFC 9112, section 6).
    ///
    /// - Parameter proxies: The proxy rules. An HTTP proxy reads the request unless it goes through a tunnel.
    /// - Throws: ``NetworkError/invalidRequest(_:)`` naming what cannot be sent.
    init(
        _ request: TransportRequest,
        acceptEncoding: String?,
        proxies: borrowing ProxyRules = ProxyRules(.direct)
    ) throws(NetworkError) {
        // Read once, because each read copies it. The rules are borrowed, because a copy costs more than their use.
        let head = request.head
        let fields = head.headerFields
        self.request = request
        method = head.method
        path = head.path ?? "/"
        origin = try head.checkForTransport()
        let framing = FramingFields(fields)
        authority = framing.host ?? head.authority ?? origin.host
        forwarding = try Forwarding(of: head, framing, to: origin, by: proxies.proxy(for: origin))

        let outgoing = try OutgoingBody(request.body)
        body = request.trailers == nil ? outgoing : .produced(outgoing.asProduction)
        // A body with trailers is sent in chunks, but its length is still verified.
        announcedLength = request.trailers == nil ? body.length : nil
        let hasBody = announcedLength != 0
        guard method != .trace || !hasBody else {
            throw .invalidRequest("a TRACE request must not have a body (RFC 9110, section 9.3.8)")
        }
        if let announced = framing.contentLength, announced != announcedLength.map(String.init) {
            let length = announcedLength.map { "\($0)" } ?? "an unknown number of"
            throw .invalidRequest("Content-Length is \"\(announced)\", but the body has \(length) bytes")
        }
        expectsContinue = hasBody && (request.expectsContinue || framing.expect?.lowercased() == "100-continue")
        hasExpect = framing.expect != nil
        // A range counts bytes as they are encoded: a part of a compressed body cannot be decoded.
        self.acceptEncoding = framing.hasAcceptEncoding || framing.hasRange ? nil : acceptEncoding
        hasConnection = framing.connection != nil
        asksToClose = framing.connection.map { _ in fields.hasConnectionOption("close") } ?? false
    }

    var timeouts: Timeouts { request.timeouts }
    var trailers: (@Sendable () async throws -> HTTPFields)? { request.trailers }
    var onInformational: (@Sendable (HTTPResponse) -> Void)? { request.onInformational }
    private var fields: HTTPFields { request.head.headerFields }

    /// The maximum number of fields that are sent.
    var fieldCount: Int { fields.count + 3 }

    /// Visits every field that is sent, except `Host` and the fields specific to one version of HTTP.
    func forEachField(_ visit: (HTTPField.Name, String) -> Void) {
        let hasBody = announcedLength != 0
        for field in fields {
            switch FramingField(field.name) {
            case .host, .contentLength: continue
            // `100-continue` must not be sent without content (RFC 9110, section 10.1.1).
            case .expect where !hasBody: continue
            default: visit(field.name, field.value)
            }
        }
        if let acceptEncoding { visit(.acceptEncoding, acceptEncoding) }
        if expectsContinue, !hasExpect { visit(.expect, "100-continue") }
        if let announcedLength, announcedLength > 0 || usuallyHasBody { visit(.contentLength, "\(announcedLength)") }
    }

    private var usuallyHasBody: Bool {
        method == .post || method == .put || method == .patch
    }

    /// The options of `Connection` (RFC 9110, section 7.6.1), in lower case.
    var connectionOptions: [Substring] {
        guard hasConnection else { return [] }
        return fields[values: .connection].flatMap { $0.lowercased().split { $0 == "," || $0 == " " } }
    }

    /// The value of `Proxy-Authorization` to add, or `nil` if there is none or the app has set one.
    var proxyAuthorization: String? {
        guard let forwarding, !fields.contains(.proxyAuthorization) else { return nil }
        return forwarding.authorization
    }

    /// A Boolean value that indicates whether the method is idempotent (RFC 9110, section 9.2.2).
    var isIdempotent: Bool {
        switch method {
        case .get, .head, .put, .delete, .options, .trace: true
        default: false
        }
    }
}

/// The fields of a request that determine how it is framed and sent.
private struct FramingFields {
    var host: String?
    var contentLength: String?
    var expect: String?
    var connection: String?
    var hasAcceptEncoding = false
    var hasRange = false
    var hasProxyAuthorization = false

    init(_ fields: HTTPFields) {
        for field in fields {
            switch FramingField(field.name) {
            case .host: host = host ?? field.value
            case .contentLength: contentLength = contentLength.map { "\($0), \(field.value)" } ?? field.value
            case .expect: expect = field.value
            case .connection: connection = field.value
            case .acceptEncoding: hasAcceptEncoding = true
            case .range: hasRange = true
            case .proxyAuthorization: hasProxyAuthorization = true
            case nil: break
            }
        }
    }
}

/// A field that determines how a request is framed and sent.
private enum FramingField {
    case host, range, expect, connection, contentLength, acceptEncoding, proxyAuthorization

    /// Returns the field with a name; `nil` for all other names.
    init?(_ name: HTTPField.Name) {
        let name = name.canonicalName
        // Most names differ in length, which is compared faster than text.
        switch name.utf8.count {
        case 4 where name == "host": self = .host
        case 5 where name == "range": self = .range
        case 6 where name == "expect": self = .expect
        case 10 where name == "connection": self = .connection
        case 14 where name == "content-length": self = .contentLength
        case 15 where name == "accept-encoding": self = .acceptEncoding
        case 19 where name == "proxy-authorization": self = .proxyAuthorization
        default: return nil
        }
    }
}

/// The form of a request for a forwarding HTTP proxy: with an absolute URL as its target (RFC 9112, section 3.2.2).
struct Forwarding {
    /// The request's target.
    let target: String
    /// The value of `Proxy-Authorization`.
    let authorization: String?

    /// Creates the form; `nil` if no proxy reads the request, because there is none or the request goes through a
    /// tunnel.
    ///
    /// - Throws: ``NetworkError/invalidRequest(_:)`` for a field that would reach the wrong recipient.
    fileprivate init?(
        of head: HTTPRequest,
        _ fields: borrowing FramingFields,
        to origin: Origin,
        by proxy: Proxy?
    ) throws(NetworkError) {
        guard let proxy, proxy.kind.isHTTP, origin.scheme == .http else {
            guard !fields.hasProxyAuthorization else {
                throw .invalidRequest(
                    NetworkFailure(
                        "Proxy-Authorization would reach the server, because no proxy reads this request",
                        advice: "remove it, and add the user and password to the proxy's URL"
                    )
                )
            }
            return nil
        }
        if let host = fields.host {
            let parts = HostAndPort(host[...])
            guard parts?.host == origin.host, parts?.port ?? 80 == origin.port else {
                throw .invalidRequest(
                    NetworkFailure(
                        "Host is not the host of the URL, and the proxy \(proxy.authority) would not forward it",
                        advice: "remove it, or use a SOCKS proxy"
                    )
                )
            }
        }
        // The absolute form of OPTIONS * has no path (RFC 9112, section 3.2.4).
        let path = head.path == "*" ? "" : head.path ?? "/"
        target = "http://\(head.authority ?? origin.authority)\(path)"
        authorization = proxy.credentials?.basic
    }
}
