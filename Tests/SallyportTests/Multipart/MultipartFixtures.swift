import Foundation
import Sallyport
import SallyportStorage

/// Returns bytes as an asynchronous sequence, in chunks of the sizes that a closure returns.
func pieces(_ data: Data, size: () -> Int) -> AsyncStream<Data> {
    var rest = data
    var pieces: [Data] = []
    while !rest.isEmpty {
        let piece = rest.prefix(max(size(), 1))
        pieces.append(piece)
        rest = rest.dropFirst(piece.count)
    }
    return chunks(pieces)
}

/// Returns chunks as an asynchronous sequence.
func chunks(_ chunks: [Data]) -> AsyncStream<Data> {
    AsyncStream { continuation in
        for chunk in chunks { continuation.yield(chunk) }
        continuation.finish()
    }
}

/// A part with its complete content.
struct ReadPart: Equatable {
    var name: String?
    var filename: String?
    var contentType: String
    var content: Data
    var headers: [String: [String]] = [:]
}

/// Reads a body to its end.
func readParts(_ reader: MultipartReader) async throws -> [ReadPart] {
    var parts: [ReadPart] = []
    for try await part in reader {
        parts.append(
            ReadPart(
                name: part.name,
                filename: part.filename,
                contentType: part.contentType,
                content: try await part.body.collect(upTo: .max),
                headers: part.headers.dictionary
            )
        )
    }
    return parts
}

extension RequestBody {
    /// Returns all bytes of a body, in memory or streamed, and the size of each chunk.
    func written() async throws -> (bytes: Data, chunks: [Int]) {
        switch self {
        case .data(let data): return (data, [data.count])
        case .stream(let stream):
            let written = Locked<(bytes: Data, chunks: [Int])>((Data(), []))
            try await stream.forEachChunk { chunk in
                written.withLock { written in
                    written.bytes += chunk
                    written.chunks.append(chunk.count)
                }
            }
            return written.withLock { $0 }
        case .none, .file: return (Data(), [])
        }
    }

    /// The body as a stream, if it is one.
    var stream: BodyStream? {
        guard case .stream(let stream) = self else { return nil }
        return stream
    }
}
