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

    /// The numeric address and port of the peer, such as `127.0.0.1:443` or `[::1]:443`: the server or its proxy. A Unix domain socket
    /// has the form `unix:/run/docker.sock`.
    public var remoteAddress: String?

    /// The HTTP version of the response.
    public var httpVersion: Version?

    /// The version of TLS, such as `TLSv1.3`; `nil` without TLS or if the transport does not know it.
    public var tlsVersion: String?

    /// A Boolean value that indicates whether the connection uses TLS, as far as the transport knows.
    package var isSecure: Bool { tlsVersion != nil }

    /// A Boolean value that indicates whether the connection had carried an exchange before.
    public var isReused: Bool

    /// A Boolean value that indicates whether ``details`` are recorded. Reading it takes less time than reading them.
    package private(set) var hasDetails = false

    /// The time at which the opening of the connection began, with name resolution. Connecting and the TLS handshake follow without a
    /// pause. On a reused connection, this and the next three properties are `nil`.
    public var openingStart: ContinuousClock.Instant? {
        get { opening.times.start }
        set { opening.times.start = newValue }
    }

    /// The duration of name resolution.
    public var resolve: Duration? {
        get { opening.times.resolve }
        set { opening.times.resolve = newValue }
    }

    /// The duration of connecting, including the opening of a tunnel through a proxy.
    public var connect: Duration? {
        get { opening.times.connect }
        set { opening.times.connect = newValue }
    }

    /// The duration of the TLS handshake.
    public var tls: Duration? {
        get { opening.times.tls }
        set { opening.times.tls = newValue }
    }

    /// The time from passing the request to the transport to the first byte of the final response's head.
    public var firstByte: Duration?

    /// The time from passing the request to the transport to sending its last byte; `nil` unless
    /// ``TransportConfiguration/recordsConnectionDetails`` is set, or if the response was received before.
    public var requestSent: Duration? {
        get { opening.times.requestSent }
        set { opening.times.requestSent = newValue }
    }

    /// The addresses, the proxy and the TLS parameters of the connection; `nil` unless
    /// ``TransportConfiguration/recordsConnectionDetails`` is set.
    public var details: ConnectionDetails? {
        get { opening.times.details }
        set {
            opening.times.details = newValue
            hasDetails = newValue != nil
        }
    }

    private var opening = Opening.unknown

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
        self.firstByte = firstByte
        opening.times = Opening.Times(start: openingStart, resolve: resolve, connect: connect, tls: tls)
    }

    /// Changes the facts for the exchanges after the first exchange of a connection.
    package mutating func markReused() {
        isReused = true
        opening = hasDetails ? opening.reused : .unknown
    }
}

/// The times of the opening of a connection.
///
/// They are stored indirectly. The size of `Instant` is unknown at compile time, which would make each copy of a value
/// that contains one slow, and the facts are a part of every response.
private enum Opening: Sendable, Hashable {
    struct Times: Hashable {
        var start: ContinuousClock.Instant?
        var resolve: Duration?
        var connect: Duration?
        var tls: Duration?
        var requestSent: Duration?
        var details: ConnectionDetails?
    }

    case unknown
    indirect case known(Times)

    var times: Times {
        get {
            if case .known(let times) = self { times } else { Times() }
        }
        set { self = newValue == Times() ? .unknown : .known(newValue) }
    }

    /// The value for a reused connection: the details without the times.
    var reused: Opening {
        guard case .known(let times) = self, let details = times.details else { return .unknown }
        return .known(Times(details: details))
    }
}
