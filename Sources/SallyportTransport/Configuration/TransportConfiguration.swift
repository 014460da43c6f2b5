/// What a transport is told once, for all its exchanges.
public struct TransportConfiguration: Sendable {
    /// Whom to trust, and who we are.
    public var security: TransportSecurity

    /// How many connections there may be, and for how long an idle one is kept.
    public var connections: ConnectionLimits

    /// How much of a response is accepted.
    public var responses: ResponseLimits

    /// Which versions of HTTP are spoken.
    public var httpVersions: HTTPVersionPolicy

    /// Addresses to use for some hosts instead of asking the resolver.
    ///
    /// The names that are resolved on this side are meant: those of proxies too, but not of servers that a proxy finds.
    public var addressOverrides: [AddressOverride]

    /// Which exchanges go through a proxy.
    public var proxy: ProxyPolicy

    /// A Boolean value that indicates whether compressed responses are requested and decoded.
    ///
    /// A decoded response has neither `Content-Encoding` nor `Content-Length`, which describe the bytes on the wire.
    /// Reading a body in a coding that is not supported fails with ``NetworkError/undecodableBody(_:)``, unless the request
    /// sets `Accept-Encoding` itself: then the body is passed on as it was sent.
    public var decodesContent: Bool

    /// Codings that are asked for and decoded beside gzip and deflate, while ``decodesContent`` is on; none by default.
    ///
    /// `SallyportCompression` has brotli and zstd for the engine. `URLSessionTransport` refuses to send with any: the
    /// system decodes what it knows by itself.
    public var contentCodings: [ContentCoding]

    /// Is told of connections, of their bytes and of the waits for one; nobody, unless set.
    ///
    /// The engine tells it. `URLSessionTransport` tells it nothing: the system keeps its connections to itself.
    public var observer: (any TransportObserver)?

    /// Makes a configuration; each part has a default that suits most apps.
    public init(
        security: TransportSecurity = TransportSecurity(),
        connections: ConnectionLimits = ConnectionLimits(),
        responses: ResponseLimits = ResponseLimits(),
        httpVersions: HTTPVersionPolicy = .automatic,
        addressOverrides: [AddressOverride] = [],
        proxy: ProxyPolicy = .direct,
        decodesContent: Bool = true,
        contentCodings: [ContentCoding] = [],
        observer: (any TransportObserver)? = nil
    ) {
        self.security = security
        self.connections = connections
        self.responses = responses
        self.httpVersions = httpVersions
        self.addressOverrides = addressOverrides
        self.proxy = proxy
        self.decodesContent = decodesContent
        self.contentCodings = contentCodings
        self.observer = observer
    }
}

/// The number of connections, and the life of idle ones.
public struct ConnectionLimits: Sendable, Hashable {
    /// Connections to one host at a time. Exchanges beyond it wait their turn.
    public var perHost: Int

    /// Connections in all.
    public var total: Int

    /// How long a connection that carries nothing is kept.
    public var idle: Duration

    /// How long an HTTP/2 connection that carries something may be silent before the server is asked for a sign of
    /// life (RFC 9113, section 6.7), and how long its answer may take; `nil` never asks.
    public var ping: Duration?

    /// Makes a set of limits: 16 connections to a host and 256 in all, idle for a minute and silent for 20 seconds,
    /// unless given. Over HTTP/2 one connection to a host carries as many exchanges as the server allows.
    public init(perHost: Int = 16, total: Int = 256, idle: Duration = .seconds(60), ping: Duration? = .seconds(20)) {
        self.perHost = perHost
        self.total = total
        self.idle = idle
        self.ping = ping
    }
}

/// How much of a response is accepted before it is refused.
public struct ResponseLimits: Sendable, Hashable {
    /// The size of a head's fields together, in bytes.
    public var headBytes: Int

    /// The number of fields in a head.
    public var headFields: Int

    /// The size of a body after decoding, in bytes; with several codings, after each.
    public var decodedBytes: Int

    /// How many times larger than on the wire a body may become by decoding, with all its codings together.
    ///
    /// Applied once it is over 1 MiB.
    public var decodingRatio: Int

    /// The number of informational responses before the final one.
    public var informationalResponses: Int

    /// Makes a set of limits: 64 KiB and 200 fields of head, 8 GiB and 200 times by decoding, unless given.
    public init(
        headBytes: Int = 65_536,
        headFields: Int = 200,
        decodedBytes: Int = 8 << 30,
        decodingRatio: Int = 200,
        informationalResponses: Int = 32
    ) {
        self.headBytes = headBytes
        self.headFields = headFields
        self.decodedBytes = decodedBytes
        self.decodingRatio = decodingRatio
        self.informationalResponses = informationalResponses
    }
}

/// The addresses to use for one host and port, as curl's `--resolve` has them.
public struct AddressOverride: Sendable, Hashable {
    /// The host as it stands in URLs.
    public var host: String

    /// The port that it holds for.
    public var port: Int

    /// Numeric IPv4 or IPv6 addresses, tried as if they had been resolved.
    public var addresses: [String]

    /// Makes an override.
    public init(host: String, port: Int, addresses: [String]) {
        self.host = host
        self.port = port
        self.addresses = addresses
    }
}

extension AddressOverride {
    /// Whether it holds for a server; an IPv6 host may stand in brackets.
    package func isFor(_ origin: Origin) -> Bool {
        port == origin.port && (host.lowercased() == origin.host || HostAndPort(host[...])?.host == origin.host)
    }
}
