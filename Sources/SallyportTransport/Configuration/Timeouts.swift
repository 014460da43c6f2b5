/// The maximum durations of the phases of an exchange. If the timeout of a phase is `nil`, only the total limits the phase.
public struct Timeouts: Sendable, Hashable {
    /// The wait for a free connection, if their number is limited.
    public var queue: Duration?

    /// The resolution of the host name.
    public var resolve: Duration?

    /// The attempts to connect to all addresses of the host, and the opening of a tunnel through a proxy.
    public var connect: Duration?

    /// The TLS handshake.
    public var tls: Duration?

    /// The time from the request's last byte to the complete head of the response.
    public var head: Duration?

    /// The time without progress in either direction, after the request has begun to be sent.
    ///
    /// Progress is a part of the request that the network accepts, a complete head, or content of the response's body. A part of a head,
    /// the framing of a body (such as chunk extensions, trailers and empty frames) and encoded bytes that decode to nothing are none, so
    /// that a server cannot hold a call by sending a byte from time to time. Of a body, the time counts while the app waits for it.
    public var idle: Duration?

    /// The complete exchange, including the wait for a connection and the body.
    public var total: Duration?

    /// Creates timeouts. The defaults are 10 seconds for each phase of a new connection, 60 seconds for the wait for a connection and for
    /// the time without progress, and 15 seconds in total.
    public init(
        queue: Duration? = .seconds(60),
        resolve: Duration? = .seconds(10),
        connect: Duration? = .seconds(10),
        tls: Duration? = .seconds(10),
        head: Duration? = nil,
        idle: Duration? = .seconds(60),
        total: Duration? = .seconds(15)
    ) {
        self.queue = queue
        self.resolve = resolve
        self.connect = connect
        self.tls = tls
        self.head = head
        self.idle = idle
        self.total = total
    }
}
