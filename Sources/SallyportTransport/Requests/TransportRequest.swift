import HTTPTypes

/// A request as a transport sends it. The transport adds only what the protocol requires.
public struct TransportRequest: Sendable {
    /// The properties on the heap, because several suspended functions keep the request of a waiting call.
    private var contents: CopyOnWriteBox<TransportRequestContents>

    /// The method, scheme, authority, path and header fields.
    public var head: HTTPRequest {
        get { contents.value.head }
        _modify { yield &contents.value.head }
    }

    /// The content that follows the head.
    public var body: RequestBody {
        get { contents.value.body }
        set { contents.value.body = newValue }
    }

    /// The timeouts of the exchange.
    public var timeouts: Timeouts {
        get { contents.value.timeouts }
        _modify { yield &contents.value.timeouts }
    }

    /// A Boolean value that indicates whether the body is sent only after the server's `100 Continue` (RFC 9110, section 10.1.1).
    ///
    /// If the server does not respond within a second, the body is sent as well. Without a body, the property has no effect.
    public var expectsContinue: Bool {
        get { contents.value.expectsContinue }
        set { contents.value.expectsContinue = newValue }
    }

    /// A Boolean value that indicates whether the request is refused if others could read it in transit.
    ///
    /// It is then sent over TLS, or over plain HTTP directly to a loopback address, but not through a proxy. A transport that
    /// does not resolve names itself decides by the host name.
    public var requiresSecureTransport: Bool {
        get { contents.value.requiresSecureTransport }
        set { contents.value.requiresSecureTransport = newValue }
    }

    /// A Boolean value that indicates whether the certificate of ``TransportSecurity/clientIdentity`` is not presented, because a
    /// redirect or a link has led the call to another origin than its first one.
    ///
    /// Certificates for a pattern that matches the host are presented nevertheless; see ``TransportSecurity/clientIdentities``. The
    /// request is not sent over a connection on which the certificate was presented.
    public var withholdsClientIdentity: Bool {
        get { contents.value.withholdsClientIdentity }
        set { contents.value.withholdsClientIdentity = newValue }
    }

    /// A closure that returns the trailer fields, called after the body has been sent (RFC 9110, section 6.5).
    public var trailers: (@Sendable () async throws -> HTTPFields)? {
        get { contents.value.trailers }
        set { contents.value.trailers = newValue }
    }

    /// A closure that is called for each informational response (1xx other than 101), in order, before the final one.
    public var onInformational: (@Sendable (HTTPResponse) -> Void)? {
        get { contents.value.onInformational }
        set { contents.value.onInformational = newValue }
    }

    /// Creates a request.
    public init(
        head: HTTPRequest,
        body: RequestBody = .none,
        timeouts: Timeouts = Timeouts(),
        expectsContinue: Bool = false,
        requiresSecureTransport: Bool = false,
        withholdsClientIdentity: Bool = false,
        trailers: (@Sendable () async throws -> HTTPFields)? = nil,
        onInformational: (@Sendable (HTTPResponse) -> Void)? = nil
    ) {
        contents = CopyOnWriteBox(
            TransportRequestContents(
                head: head,
                body: body,
                timeouts: timeouts,
                expectsContinue: expectsContinue,
                requiresSecureTransport: requiresSecureTransport,
                withholdsClientIdentity: withholdsClientIdentity,
                trailers: trailers,
                onInformational: onInformational
            )
        )
    }
}

private struct TransportRequestContents: Sendable {
    var head: HTTPRequest
    var body: RequestBody
    var timeouts: Timeouts
    var expectsContinue: Bool
    var requiresSecureTransport: Bool
    var withholdsClientIdentity: Bool
    var trailers: (@Sendable () async throws -> HTTPFields)?
    var onInformational: (@Sendable (HTTPResponse) -> Void)?
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
