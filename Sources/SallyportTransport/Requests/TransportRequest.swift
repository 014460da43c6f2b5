import HTTPTypes

/// One request as a transport sends it: nothing is added to it but what the wire itself needs.
public struct TransportRequest: Sendable {
    /// The method, scheme, authority, path and header fields.
    public var head: HTTPRequest

    /// What is sent after the head.
    public var body: RequestBody

    /// The limits on each phase of the exchange.
    public var timeouts: Timeouts

    /// Whether the body waits for the server's `100 Continue` (RFC 9110, section 10.1.1).
    ///
    /// A server that does not answer within a second is sent the body all the same. Without a body it has no effect.
    public var expectsContinue: Bool

    /// A Boolean value that indicates whether the request is refused if others could read it on its way.
    ///
    /// It is then sent over TLS, or over plain HTTP directly to a loopback address, but not through a proxy. A transport that
    /// does not resolve names itself decides by the host name.
    public var requiresSecureTransport: Bool

    /// Asked for the trailer fields once the body has been sent (RFC 9110, section 6.5).
    public var trailers: (@Sendable () async throws -> HTTPFields)?

    /// Called for each informational response (1xx other than 101), in order, before the final one.
    public var onInformational: (@Sendable (HTTPResponse) -> Void)?

    /// Makes a request of its parts.
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
