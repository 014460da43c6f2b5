/// Settings shared by all of a transport's exchanges.
public struct TransportConfiguration: Sendable {
    /// The trust roots, client certificates and pins.
    public var security: TransportSecurity

    /// The limits on connections.
    public var connections: ConnectionLimits

    /// The limits on responses.
    public var responses: ResponseLimits

    /// The HTTP versions that are used.
    public var httpVersions: HTTPVersionPolicy

    /// Addresses that are used for some hosts instead of name resolution.
    ///
    /// They apply to all names that the client resolves, including the names of proxies, but not to names that a proxy resolves.
    public var addressOverrides: [AddressOverride]

    /// The family of the addresses to which the engine connects; `nil` for both.
    package var addressFamily: AddressFamily?

    /// The proxies for exchanges. The default is none, even if the environment has some.
    public var proxy: ProxyPolicy

    /// The path of a Unix domain socket to which all connections are opened instead of to the hosts of URLs; `nil` for the network.
    ///
    /// The scheme, host and port of a URL still determine TLS, its certificate, `Host` and cookies. Neither proxies nor
    /// ``addressOverrides`` apply. Requests with ``TransportRequest/requiresSecureTransport`` are sent without TLS as well, because they
    /// do not leave the computer. `URLSessionTransport` refuses all requests if there is a path.
    ///
    /// ```swift
    /// configuration.unixSocketPath = "/run/docker.sock"
    /// ```
    public var unixSocketPath: String?

    /// A Boolean value that indicates whether compressed responses are requested and decoded.
    ///
    /// A decoded response has neither `Content-Encoding` nor `Content-Length`, which describe the bytes on the wire. Reading a body in a
    /// coding that is not supported fails with ``NetworkError/undecodableBody(_:)``, unless the request sets `Accept-Encoding` itself: then
    /// the body is passed on as it was sent. A body is also passed on as it was sent if its `Content-Encoding` names something that is not
    /// a registered coding, such as `none`, `UTF-8` or `aws-chunked`.
    public var decodesContent: Bool

    /// A Boolean value that indicates whether the engine requests the codings that it decodes; otherwise it only decodes those that a
    /// server uses without having been asked (RFC 9110, section 12.5.3).
    package var requestsContentCodings = true

    /// Codings that are requested and decoded in addition to gzip and deflate if ``decodesContent`` is set. The default is none.
    ///
    /// `SallyportCompression` has brotli and zstd for the engine. `URLSessionTransport` refuses requests if there are any, as only the
    /// system decodes content there.
    public var contentCodings: [ContentCoding]

    /// The observer of connections, their bytes and the waits for them. The default is `nil`.
    ///
    /// The engine calls it. `URLSessionTransport` refuses requests if there is one, as the system does not expose its connections.
    public var observer: (any TransportObserver)?

    /// A Boolean value that indicates whether ``ConnectionFacts/details`` and ``ConnectionFacts/requestSent`` are recorded. The default
    /// is `false`, as recording takes time for each connection.
    ///
    /// The engine records them. `URLSessionTransport` does not, as the system does not expose its connections.
    public var recordsConnectionDetails = false

    /// Creates a configuration. The defaults suit most apps.
    public init(
        security: TransportSecurity = TransportSecurity(),
        connections: ConnectionLimits = ConnectionLimits(),
        responses: ResponseLimits = ResponseLimits(),
        httpVersions: HTTPVersionPolicy = .automatic,
        addressOverrides: [AddressOverride] = [],
        proxy: ProxyPolicy = .direct,
        unixSocketPath: String? = nil,
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
        self.unixSocketPath = unixSocketPath
        self.decodesContent = decodesContent
        self.contentCodings = contentCodings
        self.observer = observer
    }
}

/// Limits on the number of connections and on the time that idle connections stay open.
public struct ConnectionLimits: Sendable, Hashable {
    /// The maximum number of simultaneous connections to a host. Further exchanges wait.
    public var perHost: Int

    /// The maximum total number of connections.
    public var total: Int

    /// The time after which an idle connection is closed.
    public var idle: Duration

    /// The time without received data after which an HTTP/2 connection with running exchanges sends a PING (RFC 9113, section 6.7), and
    /// the maximum time until its acknowledgement; `nil` to send none.
    public var ping: Duration?

    /// Creates limits. The defaults are 16 connections to a host and 256 in total, one minute for idle connections and 20 seconds for PING.
    /// With HTTP/2, one connection to a host carries as many exchanges as the server allows.
    public init(perHost: Int = 16, total: Int = 256, idle: Duration = .seconds(60), ping: Duration? = .seconds(20)) {
        self.perHost = perHost
        self.total = total
        self.idle = idle
        self.ping = ping
    }
}

/// Limits on the size of responses.
public struct ResponseLimits: Sendable, Hashable {
    /// The maximum total size of a head's fields, in bytes.
    public var headBytes: Int

    /// The maximum number of fields in a head.
    public var headFields: Int

    /// The maximum size of a body after decoding each of its codings, in bytes; `nil` for any size.
    ///
    /// A body that is collected has the limit of its client or call in any case, and a body that is streamed is decoded only as fast as
    /// it is read. Compressed data may be any number of times larger: text that repeats itself reaches 1000 times.
    public var decodedBytes: Int?

    /// The maximum number of informational responses before the final one.
    public var informationalResponses: Int

    /// Creates limits. The defaults are 64 KiB and 200 fields for a head, and no limit on decoding.
    public init(
        headBytes: Int = 65_536,
        headFields: Int = 200,
        decodedBytes: Int? = nil,
        informationalResponses: Int = 32
    ) {
        self.headBytes = headBytes
        self.headFields = headFields
        self.decodedBytes = decodedBytes
        self.informationalResponses = informationalResponses
    }
}

/// The addresses to use for a host and port, like curl's `--resolve`.
public struct AddressOverride: Sendable, Hashable {
    /// The host as in URLs.
    public var host: String

    /// The port to which the override applies.
    public var port: Int

    /// The numeric IPv4 or IPv6 addresses, used as if the name had been resolved to them.
    public var addresses: [String]

    /// Creates an override.
    public init(host: String, port: Int, addresses: [String]) {
        self.host = host
        self.port = port
        self.addresses = addresses
    }
}

/// A family of network addresses.
package enum AddressFamily: String, Sendable, Hashable {
    case ipv4 = "IPv4"
    case ipv6 = "IPv6"
}

extension AddressOverride {
    /// Returns a Boolean value that indicates whether the override applies to an origin. Brackets around an IPv6 host are ignored.
    package func applies(to origin: Origin) -> Bool {
        port == origin.port && (host.lowercased() == origin.host || HostAndPort(host[...])?.host == origin.host)
    }
}

/// The HTTP versions that a transport uses.
///
/// ```swift
/// var configuration = TransportConfiguration()
/// configuration.httpVersions = .http2
/// ```
public enum HTTPVersionPolicy: Sendable, Hashable {
    /// HTTP/2 if the server selects it in the TLS handshake, and HTTP/1.1 otherwise (RFC 9113, section 3.2).
    case automatic

    /// HTTP/1.1 only.
    case http1

    /// HTTP/2 only: with TLS the server must select it, and without TLS it must support it (RFC 9113, section 3.3).
    case http2
}
