import Foundation
import SallyportTransport
import TestSupport

/// A body of equal chunks that counts those that were read.
struct CountedChunks: AsyncSequence, Sendable {
    typealias Element = Data

    let chunk: Data
    let count: Int
    let taken = Watched(0)

    init(size: Int = 65_536, count: Int) {
        chunk = Data(repeating: UInt8(ascii: "x"), count: size)
        self.count = count
    }

    var length: Int { chunk.count * count }

    /// The number of bytes that have been read.
    var takenBytes: Int { taken.value * chunk.count }

    struct AsyncIterator: AsyncIteratorProtocol {
        let chunks: CountedChunks
        var index = 0

        mutating func next() async throws -> Data? {
            guard index < chunks.count else { return nil }
            index += 1
            chunks.taken.update { $0 += 1 }
            return chunks.chunk
        }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(chunks: self) }
}

extension RequestBody {
    /// A body that produces some texts.
    static func texts(_ texts: String..., length: Int64? = nil, isReplayable: Bool = false) -> RequestBody {
        let chunks = AsyncStream { continuation in
            for text in texts { continuation.yield(Data(text.utf8)) }
            continuation.finish()
        }
        return .stream(BodyStream(chunks, length: length, isReplayable: isReplayable))
    }

    /// A body that produces a text and then fails.
    static func text(_ text: String, failingWith error: any Error, length: Int64? = nil) -> RequestBody {
        let chunks = AsyncThrowingStream { continuation in
            continuation.yield(Data(text.utf8))
            continuation.finish(throwing: error)
        }
        return .stream(BodyStream(chunks, length: length))
    }
}
