/// An observer of a transport's connections, their bytes, and the exchanges that wait for a connection.
///
/// The methods are called concurrently from the threads that perform the work, so they must not block. Two changes in quick succession
/// may be reported in reverse order; their sum is correct. All methods have empty default implementations. `SallyportTelemetry` records
/// metrics with an observer.
///
/// ```swift
/// struct OpenConnections: TransportObserver {
///     func connectionOpened(to server: ServerOrigin) { print("+ \(server)") }
///     func connectionClosed(to server: ServerOrigin, after duration: Duration) { print("- \(server)") }
/// }
/// config.transportConfiguration.observer = OpenConnections()
/// ```
public protocol TransportObserver: Sendable {
    /// Called when a connection is ready for its first exchange: after the TLS handshake and the opening of a tunnel.
    func connectionOpened(to server: ServerOrigin)

    /// Called when either side has closed a connection that was opened.
    ///
    /// - Parameters:
    ///   - server: The server that the connection was for.
    ///   - duration: The time since the connection was ready for its first exchange.
    func connectionClosed(to server: ServerOrigin, after duration: Duration)

    /// Called when the number of exchanges that wait for a connection to a server has changed.
    ///
    /// It includes exchanges whose connection is being opened.
    func waitingExchanges(changedBy change: Int, for server: ServerOrigin)

    /// Called when bytes have been passed to the network. They include the overhead of TLS, but not its handshake.
    func sent(bytes: Int, to server: ServerOrigin)

    /// Called when bytes have been received from the network. They include the overhead of TLS, but not its handshake.
    func received(bytes: Int, from server: ServerOrigin)
}

extension TransportObserver {
    /// Does nothing.
    public func connectionOpened(to server: ServerOrigin) {}

    /// Does nothing.
    public func connectionClosed(to server: ServerOrigin, after duration: Duration) {}

    /// Does nothing.
    public func waitingExchanges(changedBy change: Int, for server: ServerOrigin) {}

    /// Does nothing.
    public func sent(bytes: Int, to server: ServerOrigin) {}

    /// Does nothing.
    public func received(bytes: Int, from server: ServerOrigin) {}
}

/// The server that a connection is for. The connection may lead through a proxy.
public struct ServerOrigin: Sendable, Hashable, CustomStringConvertible {
    /// `http` or `https`.
    public var scheme: String

    /// A name in lower case, or an address. An IPv6 address has no brackets.
    public var host: String

    /// The port, even if it is the scheme's default.
    public var port: Int

    /// Creates an origin.
    public init(scheme: String, host: String, port: Int) {
        self.scheme = scheme
        self.host = host
        self.port = port
    }

    /// The origin as in a URL, always with a port.
    public var description: String {
        host.contains(":") ? "\(scheme)://[\(host)]:\(port)" : "\(scheme)://\(host):\(port)"
    }
}

extension ServerOrigin {
    package init(_ origin: Origin) {
        self.init(scheme: origin.scheme.rawValue, host: origin.host, port: origin.port)
    }
}
