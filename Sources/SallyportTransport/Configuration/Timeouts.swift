/// How long each phase of an exchange may take. `nil` leaves a phase to the total.
public struct Timeouts: Sendable, Hashable {
    /// Waiting for one of the connections to become free, where their number is limited.
    public var queue: Duration?

    /// Resolving the host's name.
    public var resolve: Duration?

    /// Connecting, over all the addresses of the host, and the opening of a tunnel where a proxy does that.
    public var connect: Duration?

    /// The TLS handshake.
    public var tls: Duration?

    /// From the request's last byte to the response's head.
    public var head: Duration?

    /// Between two pieces of progress in either direction, once the request has begun to leave.
    public var idle: Duration?

    /// The whole exchange, its wait for a connection and its body included.
    public var total: Duration?

    /// Makes a set of limits. By default each phase of a new connection may take 10 seconds, silence and waiting
    /// for a connection 60, and all 15.
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
