import HTTPTypes
import NIOCore
import NIOHTTP1
import SallyportTransport

/// A request that has been checked and is ready for the wire.
struct OutgoingRequest: Sendable {
    let origin: Origin
    let head: HTTPRequestHead
    let body: OutgoingBody
    let timeouts: Timeouts
    let expectsContinue: Bool
    let trailers: (@Sendable () async throws -> HTTPFields)?
    let onInformational: (@Sendable (HTTPResponse) -> Void)?

    /// Checks a request and frames its body (RFC 9112, section 6).
    ///
    /// - Throws: ``NetworkError/invalidRequest(_:)`` naming what cannot be sent.
    init(_ request: TransportRequest, acceptEncoding: String?) throws(NetworkError) {
        let method = request.head.method
        let fields = request.head.headerFields
        origin = try request.head.checkForTransport()

        let outgoing = try OutgoingBody(request.body)
        trailers = request.trailers
        body = request.trailers == nil ? outgoing : .produced(outgoing.asProduction)
        // With trailers the body is sent chunked, and still held to its length.
        let framedLength = request.trailers == nil ? body.length : nil
        let hasBody = framedLength != 0
        guard method != .trace || !hasBody else {
            throw .invalidRequest("a TRACE request must not have a body (RFC 9110, section 9.3.8)")
        }
        if let announced = fields[.contentLength], announced != framedLength.map(String.init) {
            throw .invalidRequest(
                "Content-Length is \"\(announced)\", but the body has \(framedLength.map { "\($0)" } ?? "an unknown number of") bytes"
            )
        }

        var headers = HTTPHeaders()
        headers.reserveCapacity(fields.count + 3)
        let host = fields.first { $0.name.canonicalName == "host" }?.value
        headers.add(name: "Host", value: host ?? request.head.authority ?? origin.host)
        for field in fields where field.name.canonicalName != "host" && field.name != .contentLength {
            // Nothing may be expected without content (RFC 9110, section 10.1.1).
            if field.name == .expect, !hasBody { continue }
            headers.add(name: field.name.rawName, value: field.value)
        }
        // A range counts bytes as they are encoded: a part of a compressed body cannot be decoded.
        if let acceptEncoding, fields[.acceptEncoding] == nil, fields[.range] == nil {
            headers.add(name: "Accept-Encoding", value: acceptEncoding)
        }
        expectsContinue = hasBody && (request.expectsContinue || fields[.expect]?.lowercased() == "100-continue")
        if expectsContinue, fields[.expect] == nil {
            headers.add(name: "Expect", value: "100-continue")
        }
        if let length = framedLength {
            if length > 0 || Self.usuallyHasBody(method) { headers.add(name: "Content-Length", value: "\(length)") }
        } else {
            headers.add(name: "Transfer-Encoding", value: "chunked")
        }
        head = HTTPRequestHead(
            version: .http1_1,
            method: NIOHTTP1.HTTPMethod(rawValue: method.rawValue),
            uri: request.head.path ?? "/",
            headers: headers
        )
        timeouts = request.timeouts
        onInformational = request.onInformational
    }

    private static func usuallyHasBody(_ method: HTTPRequest.Method) -> Bool {
        method == .post || method == .put || method == .patch
    }

    /// Whether sending the request twice has the effect of sending it once (RFC 9110, section 9.2.2).
    var isIdempotent: Bool {
        switch head.method {
        case .GET, .HEAD, .PUT, .DELETE, .OPTIONS, .TRACE: true
        default: false
        }
    }
}
