import HTTPTypes
import NIOCore
import SallyportTransport

/// Something that runs exchanges. Its pool knows no more of it than this.
///
/// All of it may be called from any thread; what follows happens on the connection's event loop.
protocol Connection: AnyObject, Sendable {
    var origin: Origin { get }

    /// Whether it could carry something still.
    var isOpen: Bool { get }

    /// Runs an exchange. One that has ended meanwhile is skipped, and one that can no longer be run goes back to the pool.
    func run(_ exchange: Exchange)

    /// Called when an exchange has been ended from outside: by cancellation, or because nobody reads on.
    func abandon(_ exchange: Exchange)

    /// Called when an exchange has room again for what it had stopped reading.
    func resumeReading(for exchange: Exchange)

    /// Sends a piece of an exchange's body, and returns when more can be taken.
    ///
    /// - Throws: ``UploadStopped`` when the exchange is not run here any more.
    func write(_ piece: OutgoingPiece, for exchange: Exchange) async throws

    /// Ends the connection; an exchange that it still runs fails with `reason`.
    func close(failing reason: ClosingReason)
}

/// A piece of a request that is sent after its head.
enum OutgoingPiece: Sendable {
    case chunk(ByteBuffer)
    case end(HTTPFields?)
}

/// Why a connection is closed by this side.
enum ClosingReason: Sendable {
    case idle, clientClosed
}

/// Where a connection reports what becomes of it and of its exchanges.
protocol ConnectionOwner: AnyObject, Sendable {
    /// The connection can run another exchange.
    func connectionIsFree(_ connection: any Connection)

    /// Asks whether a connection that has been idle for long may close; if so, it will be given no exchange any more.
    func connectionMayClose(_ connection: any Connection) -> Bool

    func connectionClosed(_ connection: any Connection)

    /// The exchange has to be run on another connection.
    func startOver(_ exchange: Exchange)
}
