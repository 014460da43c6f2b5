/// The properties of the connection that carried an exchange, and the durations of the phases.
public struct ConnectionFacts: Sendable, Hashable {
    /// A version of HTTP.
    public enum Version: String, Sendable {
        /// HTTP/1.0, used by servers that do not support newer versions.
        case http1_0 = "HTTP/1.0"
        /// HTTP/1.1 (RFC 9112).
        case http1_1 = "HTTP/1.1"
        /// HTTP/2 (RFC 9113).
        case http2 = "HTTP/2"
        /// HTTP/3 (RFC 9114), on system transports that support it.
        case http3 = "HTTP/3"
    }

    /// The numeric address and port of the peer, such as `127.0.0.1:443` or `[::1]:443`: the server or its proxy.
    public var remoteAddress: String?

    /// The HTTP version of the response.
    public var httpVersion: Version?

    /// The version of TLS, such as `TLSv1.3`; `nil` without TLS or if the transport does not know it.
    public var tlsVersion: String?

    /// A Boolean value that indicates whether the connection had carried an exchange before.
    public var isReused: Bool

    /// The time at which the opening of the connection began, with name resolution. Connecting and the TLS handshake follow without a
    /// pause. On a reused connection, this and the next three properties are `nil`.
    public var openingStart: ContinuousClock.Instant?

    /// The duration of name resolution.
    public var resolve: Duration?

    /// The duration of connecting, including the opening of a tunnel through a proxy.
    public var connect: Duration?

    /// The duration of the TLS handshake.
    public var tls: Duration?

    /// The time from passing the request to the transport to the first byte of the final response's head.
    public var firstByte: Duration?

    /// Creates the properties of a connection. The defaults mean that a property is unknown.
    public init(
        remoteAddress: String? = nil,
        httpVersion: Version? = nil,
        tlsVersion: String? = nil,
        isReused: Bool = false,
        openingStart: ContinuousClock.Instant? = nil,
        resolve: Duration? = nil,
        connect: Duration? = nil,
        tls: Duration? = nil,
        firstByte: Duration? = nil
    ) {
        self.remoteAddress = remoteAddress
        self.httpVersion = httpVersion
        self.tlsVersion = tlsVersion
        self.isReused = isReused
        self.openingStart = openingStart
        self.resolve = resolve
        self.connect = connect
        self.tls = tls
        self.firstByte = firstByte
    }
}
