import Foundation
import HTTPTypes
import NIOCore
import NIOFoundationEssentialsCompat
import SallyportTransport

/// The parts of a response that a connection has received and not yet passed to the exchange.
struct ResponseParts: Sendable {
    var informational: [HTTPResponse] = []
    var head: ResponseHead?
    var chunks: [ByteBuffer] = []
    var end: Result<HTTPFields, NetworkError>?

    var isEmpty: Bool { informational.isEmpty && head == nil && chunks.isEmpty && end == nil }
}

/// The head of a final response, and the facts of its connection.
struct ResponseHead: Sendable {
    var response: HTTPResponse
    /// The length of the body on the wire, or `nil` if it is not known in advance.
    var length: Int64?
    var connection: ConnectionFacts
}

/// The body of a response, read from its exchange.
struct IncomingBody: ResponseBodySource {
    let exchange: Exchange

    func read() async throws(NetworkError) -> Data? {
        guard let chunk = try await exchange.read() else { return nil }
        return Data(chunk)
    }

    func readRest(upTo limit: Int) throws(NetworkError) -> Data? { exchange.readRest(upTo: limit).map { Data($0) } }

    var isReceived: Bool { exchange.isReceived }

    var trailers: HTTPFields { exchange.trailers }

    func cancel() {
        exchange.discardRest(.cancelled(NetworkFailure("the body was cancelled", phase: .body)))
    }
}

extension Data {
    /// The size from which sharing memory costs less than copying it.
    private static let smallestShared = 8 << 10

    /// Creates data from a chunk: shares the memory of a large chunk, and copies a small one or a small part of a
    /// buffer.
    init(_ chunk: ByteBuffer) {
        let isShared = chunk.readableBytes >= Self.smallestShared && chunk.readableBytes >= chunk.storageCapacity / 2
        self.init(buffer: chunk, byteTransferStrategy: isShared ? .noCopy : .copy)
    }
}
