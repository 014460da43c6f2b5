import NIOCore
import SallyportTransport

/// A connection that runs exchanges, as its pool sees it.
///
/// All members may be used from any thread; the effects happen on the connection's event loop.
protocol Connection: AnyObject, Sendable {
    var origin: Origin { get }
    var channel: any Channel { get }

    /// The pool's record of the connection, which only the pool uses.
    var poolEntry: PoolEntry<any Connection> { get }

    /// A Boolean value that indicates whether the connection may accept another exchange.
    var isOpen: Bool { get }

    /// A Boolean value that indicates whether the connection can run several exchanges at a time.
    var isShared: Bool { get }

    /// The number of exchanges that the connection can run at a time, as far as is known.
    var capacity: Int { get }

    /// Runs an exchange, unless it has ended. An exchange that the connection can no longer run is returned to the
    /// pool.
    func run(_ exchange: Exchange)

    /// Closes the connection; running exchanges fail with `reason`.
    func close(failing reason: ClosingReason)
}

extension Connection {
    var eventLoop: any EventLoop { channel.eventLoop }
}

/// The reason why this side closes a connection.
enum ClosingReason: Sendable {
    case idle, clientClosed
}

/// The receiver of a connection's events: its pool.
protocol ConnectionOwner: AnyObject, Sendable {
    /// Called when an exchange has ended on the connection, or could not start there, so that it can run another.
    func connectionIsFree(_ connection: any Connection)

    /// Called when the number of exchanges that the connection can run has changed.
    func connection(_ connection: any Connection, changedCapacityTo capacity: Int)

    /// Called when the connection accepts no more exchanges. It may still run some.
    func connectionRetired(_ connection: any Connection)

    /// Called when the server requires HTTP/1.1 (RFC 9113, section 7), which later connections to the origin then use.
    ///
    /// - Returns: `false` if the configuration allows HTTP/2 only.
    func connectionRequiresHTTP1(_ connection: any Connection) -> Bool

    /// Returns a Boolean value that indicates whether an idle connection may close. If so, it receives no more
    /// exchanges.
    func connectionMayClose(_ connection: any Connection) -> Bool

    func connectionClosed(_ connection: any Connection)

    /// Runs an exchange again from its start.
    ///
    /// - Parameter isDead: A Boolean value that indicates whether its connection was found dead, so that the host's
    ///   idle connections may be dead too.
    func startOver(_ exchange: Exchange, isDead: Bool)
}

extension ConnectionOwner {
    /// Runs an exchange on another connection. Nothing of the exchange has been sent.
    ///
    /// The number of restarts is limited, because a server may close every connection that it accepts.
    func runElsewhere(_ exchange: Exchange) {
        if exchange.canStartOver, exchange.detach(afterSending: false) { return startOver(exchange, isDead: true) }
        exchange.fail(
            .connectionLost(
                NetworkFailure("the server closed each connection before a request could be sent", phase: .send)
            )
        )
    }
}

/// The connection that carries an exchange: an HTTP/1.1 connection, or a stream of an HTTP/2 connection.
///
/// All members may be used from any thread; the effects happen on the connection's event loop.
protocol Carrier: AnyObject, Sendable {
    /// Called when an exchange has ended before its response was complete, for example by cancellation.
    func abandon(_ exchange: Exchange)

    /// Called when the rest of an exchange's response is not read. The connection is used again after a short rest.
    func drain(_ exchange: Exchange)

    /// Called when an exchange that has paused reading accepts more of its body.
    func resumeReading(for exchange: Exchange)

    /// Sends the content of an exchange's upload buffer. Called again when content arrives in a buffer that was empty.
    ///
    /// The buffer is stopped if the exchange no longer runs here.
    func send(_ body: UploadBuffer, for exchange: Exchange)
}
