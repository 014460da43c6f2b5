/// Is told of what a transport does beneath its exchanges: of its connections, their bytes, and the waits for one.
///
/// All of it is called from the threads that do the work, several at a time, so it must be quick and wait for nothing.
/// Two changes that follow each other closely may be told in the other order; their sum is right. What is not
/// implemented is not listened to. `SallyportTelemetry` makes metrics of this.
///
/// ```swift
/// struct OpenConnections: TransportObserver {
///     func connectionOpened(to server: ServerOrigin) { print("+ \(server)") }
///     func connectionClosed(to server: ServerOrigin) { print("- \(server)") }
/// }
/// config.transportConfiguration.observer = OpenConnections()
/// ```
public protocol TransportObserver: Sendable {
    /// A connection is ready for its first exchange: its TLS handshake is done, and its proxy has opened the way.
    func connectionOpened(to server: ServerOrigin)

    /// A connection that was opened has been closed, by either side.
    func connectionClosed(to server: ServerOrigin)

    /// The number of exchanges that wait for a connection to a server has changed.
    ///
    /// Those whose connection is being opened wait too.
    func waitingExchanges(changedBy change: Int, for server: ServerOrigin)

    /// Bytes have been handed to the network: requests as they are on the wire, TLS included, its handshake not.
    func sent(bytes: Int, to server: ServerOrigin)

    /// Bytes have come from the network: responses as they are on the wire, TLS included, its handshake not.
    func received(bytes: Int, from server: ServerOrigin)
}

extension TransportObserver {
    /// Does nothing.
    public func connectionOpened(to server: ServerOrigin) {}

    /// Does nothing.
    public func connectionClosed(to server: ServerOrigin) {}

    /// Does nothing.
    public func waitingExchanges(changedBy change: Int, for server: ServerOrigin) {}

    /// Does nothing.
    public func sent(bytes: Int, to server: ServerOrigin) {}

    /// Does nothing.
    public func received(bytes: Int, from server: ServerOrigin) {}
}

/// The server that a connection is for, though a proxy may stand before it.
public struct ServerOrigin: Sendable, Hashable, CustomStringConvertible {
    /// `http` or `https`.
    public var scheme: String

    /// A name in lower case, or an address; one of IPv6 has no brackets.
    public var host: String

    /// The port, be it the scheme's own.
    public var port: Int

    /// Names a server.
    public init(scheme: String, host: String, port: Int) {
        self.scheme = scheme
        self.host = host
        self.port = port
    }

    /// As it stands in a URL, with the port always.
    public var description: String {
        host.contains(":") ? "\(scheme)://[\(host)]:\(port)" : "\(scheme)://\(host):\(port)"
    }
}

extension ServerOrigin {
    package init(_ origin: Origin) {
        self.init(scheme: origin.scheme.rawValue, host: origin.host, port: origin.port)
    }
}
