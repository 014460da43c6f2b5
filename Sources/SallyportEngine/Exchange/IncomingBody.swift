import Foundation
import HTTPTypes
import NIOCore
import NIOFoundationCompat
import SallyportTransport

/// The body of a response as the engine gives it to its reader.
struct IncomingBody: ResponseBodySource {
    let exchange: Exchange

    func read() async throws(NetworkError) -> Data? {
        guard let chunk = try await exchange.read() else { return nil }
        return Data(chunk)
    }

    var trailers: HTTPFields { exchange.trailers }

    func cancel() {
        exchange.fail(.cancelled(NetworkFailure("the body was given up", phase: .body)))
    }
}

extension Data {
    /// From this size on, sharing memory costs less than copying it.
    private static let smallestShared = 8 << 10

    /// Copies a small chunk, or a part of a larger memory, and shares the memory of a large one.
    init(_ chunk: ByteBuffer) {
        let isShared = chunk.readableBytes >= Self.smallestShared && chunk.readableBytes >= chunk.storageCapacity / 2
        self.init(buffer: chunk, byteTransferStrategy: isShared ? .noCopy : .copy)
    }
}
