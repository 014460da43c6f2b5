import HTTPTypes
import NIOCore
import SallyportTransport

/// What a connection has read of a response since it last told the exchange.
struct IncomingPieces: Sendable {
    var informational: [HTTPResponse] = []
    var head: IncomingHead?
    var chunks: [ByteBuffer] = []
    var end: Result<HTTPFields, NetworkError>?

    var isEmpty: Bool { informational.isEmpty && head == nil && chunks.isEmpty && end == nil }
}

/// The head of a final response, and the connection that it came on.
struct IncomingHead: Sendable {
    var response: HTTPResponse
    /// The length of the body on the wire; `nil` where only its end tells.
    var length: Int64?
    var connection: ConnectionFacts
}
