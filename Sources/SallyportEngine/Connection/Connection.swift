import NIOCore
import SallyportTransport

/// Something that carries exchanges. Its pool knows no more of it than this.
///
/// All of it may be called from any thread; what follows happens on the connection's event loop.
protocol Connection: AnyObject, Sendable {
    var origin: Origin { get }

    /// Where all of it happens.
    var eventLoop: any EventLoop { get }

    /// Whether it could carry something still.
    var isOpen: Bool { get }

    /// Whether it can carry several exchanges at a time.
    var isShared: Bool { get }

    /// How many exchanges it carries at a time, as far as is known by now.
    var places: Int { get }

    /// Runs an exchange. One that has ended meanwhile is skipped, and one that can no longer be run goes back to the pool.
    func run(_ exchange: Exchange)

    /// Ends the connection; exchanges that it still runs fail with `reason`.
    func close(failing reason: ClosingReason)
}

/// Why a connection is closed by this side.
enum ClosingReason: Sendable {
    case idle, clientClosed
}

/// Where a connection reports what becomes of it and of its exchanges.
protocol ConnectionOwner: AnyObject, Sendable {
    /// The connection can run another exchange in place of one that it ran or was given.
    func connectionIsFree(_ connection: any Connection)

    /// The connection can carry another number of exchanges than before.
    func connection(_ connection: any Connection, hasPlaces places: Int)

    /// The connection takes no more exchanges, though it may carry some still.
    func connectionRetired(_ connection: any Connection)

    /// Asks whether a connection that has been idle for long may close; if so, it will be given no exchange any more.
    func connectionMayClose(_ connection: any Connection) -> Bool

    func connectionClosed(_ connection: any Connection)

    /// The exchange has to be run again from its start.
    ///
    /// - Parameter isDead: Whether its connection was found dead, so that the idle ones to the host may be dead too.
    func startOver(_ exchange: Exchange, isDead: Bool)
}

extension ConnectionOwner {
    /// Nothing of the exchange has been sent. Not without end: a server may close whatever it accepts.
    func runElsewhere(_ exchange: Exchange) {
        if exchange.canStartOver, exchange.detach() { return startOver(exchange, isDead: true) }
        exchange.fail(
            .connectionLost(
                NetworkFailure("the server closed each connection before a request could be sent", phase: .send)
            )
        )
    }
}

extension ConnectionFacts {
    /// Leaves what holds for the exchanges that follow the first.
    mutating func hasCarried() {
        isReused = true
        resolve = nil
        connect = nil
        tls = nil
    }
}
