import Foundation
import SallyportTransport

/// The body of an upload, which can be sent from any of its bytes on, and tells what is taken of it.
struct UploadContent: Sendable {
    private let body: RequestBody
    /// Of the file at the upload's beginning; it has to stay the same.
    private let file: FileVersion?
    /// Of a form at the upload's beginning.
    private let form: String?
    private let sentBytes: SentBytes

    /// The number of bytes, where it is known beforehand.
    let length: Int64?

    /// - Throws: ``TransferError`` when a file cannot be read.
    init(_ body: RequestBody, sentBytes: SentBytes) throws(TransferError) {
        self.body = body
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

    /// Whether all bytes from the first on can be sent again.
    var isReplayable: Bool { body.isReplayable }

    /// Whether it has been sent, if only in part, and cannot be sent again.
    var isSpent: Bool { body.isSpent }

    /// What tells this body from others in a later process; `nil` if nothing does.
    var fingerprint: String? {
        switch body {
        case .none: UploadFingerprint.of(Data())
        case .data(let data): UploadFingerprint.of(data)
        case .file(let url): file.map { UploadFingerprint.of(url, $0) }
        case .stream: form
        }
    }

    /// The bytes from one on, as the body of a request.
    ///
    /// - Parameters:
    ///   - limit: How many at most.
    ///   - isLast: Whether they are the rest.
    func part(from offset: Int64, limit: Int64 = .max, isLast: Bool = true) -> RequestBody {
        let count = length.map { min($0 - offset, limit) }
        if count == 0, offset > 0 { return end(at: offset) }
        if case .file(let url) = body { return .stream(part(of: url, from: offset, count, isLast: isLast)) }
        let end = isLast ? length : nil
        let stream = BodyStream(length: count, isReplayable: body.isReplayable) { [self] write in
            sentBytes.begin(at: offset)
            try check()
            // One that has more bytes than it announced is not cut, but refused by the transport.
            try await forEachChunk(from: offset, limit: isLast ? .max : limit) { chunk in
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

    /// Files are read by the transport itself.
    private func part(of url: URL, from offset: Int64, _ count: Int64?, isLast: Bool) -> BodyStream {
        BodyStream(length: count) { [self] in
            sentBytes.begin(at: offset)
            let stretch = try await UploadFile.open(url, as: file, from: offset, limit: count ?? .max)
            return UploadReader(url: url, file: stretch, sentBytes: sentBytes, isLast: isLast)
        }
    }

    /// No bytes, after the last one.
    func end(at offset: Int64) -> RequestBody {
        sentBytes.begin(at: offset)
        sentBytes.offer(0, isLast: true)
        return .data(Data())
    }

    /// - Throws: ``TransferError`` if a form's files are not what they were.
    private func check() throws {
        guard case .stream(let stream) = body, form != nil, stream.fingerprint?() != form else { return }
        throw TransferError(.mismatch("a file of the form was changed while it was sent; start the upload again"))
    }

    /// Gives the chunks of a stretch in order, waiting for each to be taken.
    private func forEachChunk(
        from offset: Int64,
        limit: Int64,
        write: @Sendable (Data) async throws -> Void
    ) async throws {
        switch body {
        // Files are read by the transport itself.
        case .none, .file: break
        case .data(let data):
            let rest = data.dropFirst(Int(offset)).prefix(Int(min(limit, Int64(data.count))))
            // In pieces, so that the progress is told.
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
                // The rest is for another part.
            }
        }
    }
}

private struct WindowPassed: Error {}

/// The stretch of a stream that is wanted, as its chunks pass by.
private final class StreamWindow: Sendable {
    private let left: Locked<(skip: Int64, take: Int64)>

    init(skip: Int64, limit: Int64) {
        left = Locked((skip, limit))
    }

    /// Whether nothing more is wanted, though there may be more.
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
