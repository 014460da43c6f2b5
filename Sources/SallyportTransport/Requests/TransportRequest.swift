import HTTPTypes

/// A request as a transport sends it. The transport adds only what the protocol requires.
public struct TransportRequest: Sendable {
    /// The method, scheme, authority, path and header fields.
    public var head: HTTPRequest

    /// The content that follows the head.
    public var body: RequestBody

    /// The timeouts of the exchange.
    public var timeouts: Timeouts

    /// A Boolean value that indicates whether the body is sent only after the server's `100 Continue` (RFC 9110, section 10.1.1).
    ///
    /// If the server does not respond within a second, the body is sent as well. Without a body, the property has no effect.
    public var expectsContinue: Bool

    /// A Boolean value that indicates whether the request is refused if others could read it in transit.
    ///
    /// It is then sent over TLS, or over plain HTTP directly to a loopback address, but not through a proxy. A transport that
    /// does not resolve names itself decides by the host name.
    public var requiresSecureTransport: Bool

    /// A closure that returns the trailer fields, called after the body has been sent (RFC 9110, section 6.5).
    public var trailers: (@Sendable () async throws -> HTTPFields)?

    /// A closure that is called for each informational response (1xx other than 101), in order, before the final one.
    public var onInformational: (@Sendable (HTTPResponse) -> Void)?

    /// Creates a request.
    public init(
        head: HTTPRequest,
        body: RequestBody = .none,
        timeouts: Timeouts = Timeouts(),
        expectsContinue: Bool = false,
        requiresSecureTransport: Bool = false,
        trailers: (@Sendable () async throws -> HTTPFields)? = nil,
        onInformational: (@Sendable (HTTPResponse) -> Void)? = nil
    ) {
        self.head = head
        self.body = body
        self.timeouts = timeouts
        self.expectsContinue = expectsContinue
        self.requiresSecureTransport = requiresSecureTransport
        self.trailers = trailers
        self.onInformational = onInformational
    }
}

extension HTTPRequest {
    /// Validates a request by the rules of HTTP/1.1 (RFC 9112, section 3) before it is sent.
    ///
    /// - Returns: The origin of the request.
    /// - Throws: ``NetworkError/invalidRequest(_:)`` for an invalid request.
    package func checkForTransport() throws(NetworkError) -> Origin {
        let origin = try Origin(of: self)
        guard method != .connect else {
            throw .invalidRequest("CONNECT opens a tunnel and cannot be sent as a request")
        }
        guard let path, path.utf8.first == UInt8(ascii: "/") || (path == "*" && method == .options) else {
            throw .invalidRequest("the request target does not begin with a slash")
        }
        guard path.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "#") }) else {
            throw .invalidRequest("the request target contains a character that must be percent-encoded")
        }
        guard !headerFields.contains(.transferEncoding) else {
            throw .invalidRequest("Transfer-Encoding is set by the transport; remove it from the request")
        }
        return origin
    }
}
