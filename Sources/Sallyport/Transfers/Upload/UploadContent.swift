import Foundation
import SallyportTransport

/// The body of an upload, which can be sent from any of its bytes on, and tells what is taken of it.
struct UploadContent: Sendable {
    private let body: RequestBody
    private let tally: UploadTally

    /// The number of bytes, where it is known beforehand.
    let length: Int64?

    /// - Throws: ``TransferError`` when a file cannot be read.
    init(_ body: RequestBody, tally: UploadTally) throws(TransferError) {
        self.body = body
        self.tally = tally
        switch body {
        case .none: length = 0
        case .data(let data): length = Int64(data.count)
        case .file(let url): length = try UploadFile.state(of: url).size
        case .stream(let stream): length = stream.length
        }
    }

    /// Whether all bytes from the first on can be sent again.
    var isReplayable: Bool { body.isReplayable }

    /// Whether it has been sent, if only in part, and cannot be sent again.
    var isSpent: Bool { body.isSpent }

    /// The bytes from one on, as the body of a request.
    ///
    /// - Parameter limit: How many at most.
    func part(from offset: Int64, limit: Int64 = .max) -> RequestBody {
        let count = length.map { min($0 - offset, limit) }
        let isLast = count.map { $0 + offset == length } ?? true
        let stream = BodyStream(length: count, isReplayable: body.isReplayable) { [body, tally] write in
            tally.begin(at: offset)
            try await body.forEachChunk(from: offset, limit: count ?? .max) { chunk in
                try await write(chunk)
                tally.add(chunk.count)
            }
            if isLast { tally.end() }
        }
        return .stream(stream)
    }
}

extension RequestBody {
    /// Gives the chunks of a stretch in order, waiting for each to be taken.
    fileprivate func forEachChunk(
        from offset: Int64,
        limit: Int64,
        write: @Sendable (Data) async throws -> Void
    ) async throws {
        switch self {
        case .none: break
        case .data(let data):
            let rest = data.dropFirst(Int(offset)).prefix(Int(min(limit, Int64(data.count))))
            // In pieces, so that the progress is told.
            for start in stride(from: rest.startIndex, to: rest.endIndex, by: UploadFile.chunkSize) {
                try await write(rest[start..<min(start + UploadFile.chunkSize, rest.endIndex)])
            }
        case .file(let url):
            try await UploadFile.forEachChunk(of: url, from: offset, limit: limit, write: write)
        case .stream(let stream):
            let window = StreamWindow(skip: offset, limit: limit)
            try await stream.forEachChunk { chunk in
                if let wanted = window.part(of: chunk) { try await write(wanted) }
            }
        }
    }
}

/// The stretch of a stream that is wanted, as its chunks pass by.
private final class StreamWindow: Sendable {
    private let left: Locked<(skip: Int64, take: Int64)>

    init(skip: Int64, limit: Int64) {
        left = Locked((skip, limit))
    }

    func part(of chunk: Data) -> Data? {
        left.withLock { left in
            let skipped = min(left.skip, Int64(chunk.count))
            left.skip -= skipped
            let taken = min(left.take, Int64(chunk.count) - skipped)
            left.take -= taken
            return taken > 0 ? chunk.dropFirst(Int(skipped)).prefix(Int(taken)) : nil
        }
    }
}
