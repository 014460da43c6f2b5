import Foundation
import SallyportStorage
import SallyportTransport

/// The bytes of a form, which are produced while they are sent. Only the descriptions of the parts are in memory.
struct MultipartContent: Sendable {
    /// The size in bytes up to which small pieces are combined, because each piece may become a separate packet.
    private static let chunkSize = 64 << 10

    let boundary: String
    let parts: [MultipartPart]
    /// The length of the content of each part; `nil` if it is unknown.
    let lengths: [Int64?]

    /// Creates the content.
    ///
    /// - Throws: ``NetworkError/invalidRequest(_:)``, with the name of the part that cannot be sent.
    init(boundary: String, parts: [MultipartPart]) throws(NetworkError) {
        self.boundary = boundary
        self.parts = parts
        var lengths: [Int64?] = []
        var total: Int64? = Int64(Self.ending(boundary).utf8.count)
        for part in parts {
            let length = try part.contentLength()
            let frame = try Self.start(of: part, boundary).utf8.count + Self.lineBreak.count
            total = if let sum = total, let length { sum + Int64(frame) + length } else { nil }
            lengths.append(length)
        }
        self.lengths = lengths
        length = total
    }

    /// The number of bytes; `nil` if the length of a part is unknown.
    let length: Int64?

    /// A Boolean value that indicates whether the content can be written more than once.
    var isReplayable: Bool { parts.allSatisfy(\.isReplayable) }

    /// Returns all bytes if all parts are in memory; otherwise `nil`.
    func inMemory() throws(NetworkError) -> Data? {
        guard let length, parts.allSatisfy(\.isInMemory) else { return nil }
        var bytes = Data(capacity: Int(length))
        for part in parts {
            guard case .data(let data) = part.content else { return nil }
            bytes += Data(try Self.start(of: part, boundary).utf8)
            bytes += data
            bytes += Self.lineBreak
        }
        return bytes + Data(Self.ending(boundary).utf8)
    }

    private static let lineBreak = Data("\r\n".utf8)

    private static func ending(_ boundary: String) -> String { "--\(boundary)--\r\n" }

    private static func start(of part: MultipartPart, _ boundary: String) throws(NetworkError) -> String {
        "--\(boundary)\r\n\(try part.head())\r\n\r\n"
    }

    /// Writes all bytes.
    ///
    /// - Throws: ``NetworkError/invalidRequest(_:)`` if the content of a part does not have its declared length.
    func write(to write: BodyStream.Write) async throws {
        var pending = Data()
        for (part, length) in zip(parts, lengths) {
            pending += Data(try Self.start(of: part, boundary).utf8)
            switch part.content {
            case .data(let data) where data.count <= Self.chunkSize:
                pending += data
            case .data(let data):
                try await flush(&pending, to: write)
                try await write(data)
            case .file(let url):
                try await flush(&pending, to: write)
                try await self.write(url, length ?? 0, to: write)
            case .stream(let stream):
                try await flush(&pending, to: write)
                try await self.write(stream, of: part, to: write)
            }
            pending += Self.lineBreak
            if pending.count > Self.chunkSize { try await flush(&pending, to: write) }
        }
        pending += Data(Self.ending(boundary).utf8)
        try await write(pending)
    }

    private func flush(_ pending: inout Data, to write: BodyStream.Write) async throws {
        try await write(pending)
        pending.removeAll(keepingCapacity: true)
    }

    /// Writes a file. It is an error if its length has changed, because the body would no longer have its declared length.
    private func write(_ url: URL, _ length: Int64, to write: BodyStream.Write) async throws {
        do {
            let file = try await SentFile.open(url)
            guard file.version.size == length else {
                let problem = "no longer has the declared length of \(length) bytes"
                throw SentFile.Problem(text: problem, isChange: true)
            }
            try await file.forEachPiece(write)
        } catch let problem as SentFile.Problem {
            throw problem.networkError(url)
        }
    }

    /// Writes a stream. It is an error if its length differs from the declared one, because the body would have another length too.
    private func write(_ stream: BodyStream, of part: MultipartPart, to write: BodyStream.Write) async throws {
        let length = stream.length
        let written = Locked<Int64>(0)
        @Sendable func wrongLength(_ problem: String) -> NetworkError {
            .invalidRequest(
                NetworkFailure(
                    "the stream of the part \"\(VisibleText.line(part.name))\" is \(problem) than the declared \(length ?? 0) bytes",
                    phase: .send
                )
            )
        }
        try await stream.forEachChunk { chunk in
            let sum = written.withLock { written in
                written += Int64(chunk.count)
                return written
            }
            if let length, sum > length { throw wrongLength("longer") }
            try await write(chunk)
        }
        if let length, written.withLock({ $0 }) < length { throw wrongLength("shorter") }
    }
}
