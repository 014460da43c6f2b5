import Foundation
import Sallyport
import SallyportStorage
import SallyportTransport

/// The body of an upload, which can be sent from any offset, and which records the bytes that are sent.
struct UploadContent: Sendable {
    private let body: RequestBody
    /// The version of the file when the upload began; it must not change.
    private let file: FileVersion?
    /// The fingerprint of the form when the upload began.
    private let form: String?
    private let rateLimit: RateLimit?
    private let sentBytes: SentBytes

    /// The length of the body; `nil` if it is not known in advance.
    let length: Int64?

    /// - Throws: ``TransferError`` if a file cannot be read.
    init(_ body: RequestBody, _ rateLimit: RateLimit?, sentBytes: SentBytes) throws(TransferError) {
        self.body = body
        self.rateLimit = rateLimit
        self.sentBytes = sentBytes
        if case .file(let url) = body { file = try UploadFile.version(of: url) } else { file = nil }
        if case .stream(let stream) = body { form = stream.fingerprint?() } else { form = nil }
        switch body {
        case .none: length = 0
        case .data(let data): length = Int64(data.count)
        case .file: length = file?.size
        case .stream(let stream): length = stream.length
        }
    }

    /// A Boolean value that indicates whether all bytes can be sent again.
    var isReplayable: Bool { body.isReplayable }

    /// A Boolean value that indicates whether some bytes have been sent and cannot be sent again.
    var isSpent: Bool { body.isSpent }

    /// A text that identifies this body in a later process; `nil` if it cannot be identified.
    var fingerprint: String? {
        switch body {
        case .none: BodyFingerprint.of(Data())
        case .data(let data): BodyFingerprint.of(data)
        case .file(let url): file.map { BodyFingerprint.of(url, $0) }
        case .stream: form
        }
    }

    /// Returns the bytes from an offset, as the body of a request.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of bytes.
    ///   - isLast: If `true`, these are the remaining bytes.
    func part(from offset: Int64, limit: Int64 = .max, isLast: Bool = true) -> RequestBody {
        let count = length.map { min($0 - offset, limit) }
        if count == 0, offset > 0 { return end(at: offset) }
        if case .file(let url) = body, rateLimit == nil {
            return .stream(part(of: url, from: offset, count, isLast: isLast))
        }
        let end = isLast ? length : nil
        let stream = BodyStream(length: count, isReplayable: body.isReplayable) { [self] write in
            sentBytes.begin(at: offset)
            try check()
            // A body with more bytes than announced is not truncated, so that the transport refuses it.
            try await forEachPiece(from: offset, limit: isLast ? .max : limit) { chunk in
                let isEnd = sentBytes.position + Int64(chunk.count) == end
                if isEnd { try check() }
                sentBytes.offer(chunk.count, isLast: isEnd)
                try await write(chunk)
                sentBytes.add(chunk.count)
            }
            if isLast { sentBytes.offer(0, isLast: true) }
        }
        return .stream(stream)
    }

    /// Returns part of a file. The transport reads the file itself.
    private func part(of url: URL, from offset: Int64, _ count: Int64?, isLast: Bool) -> BodyStream {
        BodyStream(length: count) { [self] in
            sentBytes.begin(at: offset)
            let part = try await UploadFile.open(url, as: file, from: offset, limit: count ?? .max)
            return UploadReader(url: url, file: part, sentBytes: sentBytes, isLast: isLast)
        }
    }

    /// Returns an empty body, which ends the upload.
    func end(at offset: Int64) -> RequestBody {
        sentBytes.begin(at: offset)
        sentBytes.offer(0, isLast: true)
        return .data(Data())
    }

    /// - Throws: ``TransferError`` if a file of the form has changed.
    private func check() throws {
        guard case .stream(let stream) = body, form != nil, stream.fingerprint?() != form else { return }
        throw TransferError(.mismatch("a file of the form was changed while it was sent; start the upload again"))
    }

    /// Passes the chunks of a part to a closure in order, no faster than the rate limit allows.
    private func forEachPiece(
        from offset: Int64,
        limit: Int64,
        write: @Sendable (Data) async throws -> Void
    ) async throws {
        guard let rateLimit else { return try await forEachChunk(from: offset, limit: limit, write: write) }
        try await forEachChunk(from: offset, limit: limit) { chunk in
            try await rateLimit.forEachPiece(of: chunk, write)
        }
    }

    /// Passes the chunks of a part to a closure in order, and waits for each.
    private func forEachChunk(
        from offset: Int64,
        limit: Int64,
        write: @Sendable (Data) async throws -> Void
    ) async throws {
        switch body {
        case .none: break
        // Without a rate limit, the transport reads files itself.
        case .file(let url):
            do {
                try await UploadFile.open(url, as: file, from: offset, limit: limit).forEachPiece(write)
            } catch let problem as SentFile.Problem {
                throw UploadFile.error(problem, of: url)
            }
        case .data(let data):
            let rest = data.dropFirst(Int(offset)).prefix(Int(min(limit, Int64(data.count))))
            // In pieces, so that the progress is reported.
            for start in stride(from: rest.startIndex, to: rest.endIndex, by: BodyStream.pieceSize) {
                try await write(rest[start..<min(start + BodyStream.pieceSize, rest.endIndex)])
            }
        case .stream(let stream):
            let window = StreamWindow(skip: offset, limit: limit)
            do {
                try await stream.forEachChunk { chunk in
                    if let wanted = window.part(of: chunk) { try await write(wanted) }
                    if window.isPast { throw WindowPassed() }
                }
            } catch is WindowPassed {
                // The remaining bytes belong to another part.
            }
        }
    }
}

private struct WindowPassed: Error {}

/// Selects a part of a stream from its chunks.
private final class StreamWindow: Sendable {
    private let left: Locked<(skip: Int64, take: Int64)>

    init(skip: Int64, limit: Int64) {
        left = Locked((skip, limit))
    }

    /// A Boolean value that indicates whether the part is complete, so that later chunks are not needed.
    var isPast: Bool { left.withLock { $0.take == 0 } }

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
