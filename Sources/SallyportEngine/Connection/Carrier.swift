import HTTPTypes
import NIOCore

/// What an exchange runs on: a connection of HTTP/1.1, or a stream of HTTP/2.
///
/// All of it may be called from any thread; what follows happens on the connection's event loop.
protocol Carrier: AnyObject, Sendable {
    /// Called when an exchange has been ended from outside: by cancellation, or because nobody reads on.
    func abandon(_ exchange: Exchange)

    /// Called when an exchange has room again for what it had stopped reading.
    func resumeReading(for exchange: Exchange)

    /// Sends a piece of an exchange's body, and returns when more can be taken.
    ///
    /// - Throws: ``UploadStopped`` when the exchange is not run here any more.
    func write(_ piece: OutgoingPiece, for exchange: Exchange) async throws
}

/// A piece of a request that is sent after its head.
enum OutgoingPiece: Sendable {
    case chunk(ByteBuffer)
    case end(HTTPFields?)
}
