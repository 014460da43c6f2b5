/// What is known of the connection that carried an exchange, and how long each phase took.
public struct ConnectionFacts: Sendable, Hashable {
    /// A version of HTTP.
    public enum Version: String, Sendable {
        /// HTTP/1.0, answered by a server that speaks nothing newer.
        case http1_0 = "HTTP/1.0"
        /// HTTP/1.1 (RFC 9112).
        case http1_1 = "HTTP/1.1"
        /// HTTP/2 (RFC 9113).
        case http2 = "HTTP/2"
        /// HTTP/3 (RFC 9114), on transports of the system that speak it.
        case http3 = "HTTP/3"
    }

    /// The numeric address and port of the peer, such as `127.0.0.1:443` or `[::1]:443`: the server's, or its proxy's.
    public var remoteAddress: String?

    /// The version of HTTP that the response was sent in.
    public var httpVersion: Version?

    /// The version of TLS, such as `TLSv1.3`; `nil` without TLS or where the transport cannot tell.
    public var tlsVersion: String?

    /// Whether the connection had carried an exchange before.
    public var isReused: Bool

    /// How long resolving the host's name took; `nil` on a reused connection, as the next two.
    public var resolve: Duration?

    /// How long connecting took, and the opening of a tunnel where a proxy did that.
    public var connect: Duration?

    /// How long the TLS handshake took.
    public var tls: Duration?

    /// The time from handing the request to the transport to the first byte of the final response's head.
    public var firstByte: Duration?

    /// Makes a set of facts; each is unknown unless given.
    public init(
        remoteAddress: String? = nil,
        httpVersion: Version? = nil,
        tlsVersion: String? = nil,
        isReused: Bool = false,
        resolve: Duration? = nil,
        connect: Duration? = nil,
        tls: Duration? = nil,
        firstByte: Duration? = nil
    ) {
        self.remoteAddress = remoteAddress
        self.httpVersion = httpVersion
        self.tlsVersion = tlsVersion
        self.isReused = isReused
        self.resolve = resolve
        self.connect = connect
        self.tls = tls
        self.firstByte = firstByte
    }
}
