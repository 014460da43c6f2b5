import HTTPTypes
import SallyportTransport

/// A request that has been checked and is ready for the wire of any version of HTTP.
struct OutgoingRequest: Sendable {
    let origin: Origin
    let method: HTTPRequest.Method
    let path: String
    /// The host, with its port where it is not the scheme's, as the server is told it.
    let authority: String
    let body: OutgoingBody
    /// What the body's length is announced as; `nil` where only its end tells.
    let announcedLength: Int64?
    let timeouts: Timeouts
    let expectsContinue: Bool
    let trailers: (@Sendable () async throws -> HTTPFields)?
    let onInformational: (@Sendable (HTTPResponse) -> Void)?

    /// How it is told to a proxy that passes it on; `nil` for a request that no proxy reads.
    let forwarding: Forwarding?

    /// A Boolean value that indicates whether the request asks for the connection to be closed.
    let asksToClose: Bool

    /// The `Accept-Encoding` that the engine adds; `nil` if it does not ask for an encoded body.
    let acceptEncoding: String?

    private let fields: HTTPFields
    private let hasExpect: Bool

    /// Checks a request and frames its body (RFC 9112, section 6).
    ///
    /// - Parameter proxies: An HTTP proxy is told of the whole request, unless that goes through a tunnel.
    /// - Throws: ``NetworkError/invalidRequest(_:)`` naming what cannot be sent.
    init(
        _ request: TransportRequest,
        acceptEncoding: String?,
        proxies: ProxyRules = ProxyRules(.direct)
    ) throws(NetworkError) {
        let fields = request.head.headerFields
        method = request.head.method
        path = request.head.path ?? "/"
        self.fields = fields
        origin = try request.head.checkForTransport()
        let told = ToldFields(fields)
        authority = told.host ?? request.head.authority ?? origin.host
        forwarding = try Forwarding(of: request.head, to: origin, by: proxies.proxy(for: origin))

        let outgoing = try OutgoingBody(request.body)
        trailers = request.trailers
        body = request.trailers == nil ? outgoing : .produced(outgoing.asProduction)
        // With trailers only the end tells the length, and the body is still held to it.
        announcedLength = request.trailers == nil ? body.length : nil
        let hasBody = announcedLength != 0
        guard method != .trace || !hasBody else {
            throw .invalidRequest("a TRACE request must not have a body (RFC 9110, section 9.3.8)")
        }
        if let announced = told.contentLength, announced != announcedLength.map(String.init) {
            let length = announcedLength.map { "\($0)" } ?? "an unknown number of"
            throw .invalidRequest("Content-Length is \"\(announced)\", but the body has \(length) bytes")
        }
        expectsContinue = hasBody && (request.expectsContinue || told.expect?.lowercased() == "100-continue")
        hasExpect = told.expect != nil
        // A range counts bytes as they are encoded: a part of a compressed body cannot be decoded.
        self.acceptEncoding = told.hasAcceptEncoding || told.hasRange ? nil : acceptEncoding
        asksToClose = told.connection.map { _ in fields.hasConnectionOption("close") } ?? false
        timeouts = request.timeouts
        onInformational = request.onInformational
    }

    /// How many fields there are at most.
    var fieldCount: Int { fields.count + 3 }

    /// Every field that is sent, but the one that names the host, and those that one version of HTTP frames with.
    func forEachField(_ visit: (HTTPField.Name, String) -> Void) {
        let hasBody = announcedLength != 0
        for field in fields {
            switch field.name.canonicalName {
            case "host", "content-length": continue
            // Nothing may be expected without content (RFC 9110, section 10.1.1).
            case "expect" where !hasBody: continue
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

    /// The options that concern this connection only (RFC 9110, section 7.6.1), in lower case.
    var connectionOptions: [Substring] {
        fields[values: .connection].flatMap { $0.lowercased().split { $0 == "," || $0 == " " } }
    }

    /// What `Proxy-Authorization` is to be, unless the app has set it.
    var proxyAuthorization: String? { fields[.proxyAuthorization] == nil ? forwarding?.authorization : nil }

    /// Whether sending the request twice has the effect of sending it once (RFC 9110, section 9.2.2).
    var isIdempotent: Bool {
        switch method {
        case .get, .head, .put, .delete, .options, .trace: true
        default: false
        }
    }
}

/// The fields of a request by which it tells how it is to be sent.
private struct ToldFields {
    var host: String?
    var contentLength: String?
    var expect: String?
    var connection: String?
    var hasAcceptEncoding = false
    var hasRange = false

    init(_ fields: HTTPFields) {
        for field in fields {
            switch field.name.canonicalName {
            case "host": host = host ?? field.value
            case "content-length": contentLength = contentLength.map { "\($0), \(field.value)" } ?? field.value
            case "expect": expect = field.value
            case "connection": connection = field.value
            case "accept-encoding": hasAcceptEncoding = true
            case "range": hasRange = true
            default: break
            }
        }
    }
}
