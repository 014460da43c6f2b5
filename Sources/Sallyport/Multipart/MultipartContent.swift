import Foundation
import SallyportTransport

/// The bytes of a form, written while they are sent. The heads of the parts are made when it is their turn, so that
/// only the parts' descriptions are kept, however many there are.
struct MultipartContent: Sendable {
    /// Small pieces are gathered up to this size, as each one that is written may be a packet of its own.
    private static let chunkSize = 64 << 10

    let boundary: String
    let parts: [MultipartPart]
    /// How long the content of each part is, where it is known.
    let lengths: [Int64?]

    /// - Throws: ``NetworkError/invalidRequest(_:)`` naming the part that cannot be sent.
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

    /// The number of bytes, if each part's is known.
    let length: Int64?

    /// Whether it can be written more than once.
    var isReplayable: Bool { parts.allSatisfy(\.isReplayable) }

    /// All bytes, if none of them has to be fetched.
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

    /// Writes all of it.
    ///
    /// - Throws: ``NetworkError/invalidRequest(_:)`` for a part whose content is not as long as it was to be.
    func write(to write: BodyStream.Write) async throws {
        var waiting = Data()
        for (part, length) in zip(parts, lengths) {
            waiting += Data(try Self.start(of: part, boundary).utf8)
            switch part.content {
            case .data(let data) where data.count <= Self.chunkSize:
                waiting += data
            case .data(let data):
                try await flush(&waiting, to: write)
                try await write(data)
            case .file(let url):
                try await flush(&waiting, to: write)
                try await self.write(url, length ?? 0, to: write)
            case .stream(let stream):
                try await flush(&waiting, to: write)
                try await self.write(stream, of: part, to: write)
            }
            waiting += Self.lineBreak
            if waiting.count > Self.chunkSize { try await flush(&waiting, to: write) }
        }
        waiting += Data(Self.ending(boundary).utf8)
        try await write(waiting)
    }

    private func flush(_ waiting: inout Data, to write: BodyStream.Write) async throws {
        try await write(waiting)
        waiting.removeAll(keepingCapacity: true)
    }

    /// A file of another length than it was announced with would move the parts after it.
    private func write(_ url: URL, _ length: Int64, to write: BodyStream.Write) async throws {
        do {
            let file = try await SentFile.open(url)
            guard file.version.size == length else {
                let problem = "has another length than the \(length) bytes that were announced"
                throw SentFile.Problem(text: problem, isChange: true)
            }
            try await file.forEachPiece(write)
        } catch let problem as SentFile.Problem {
            throw problem.networkError(url)
        }
    }

    /// A stream that does not keep to its length would move the parts after it.
    private func write(_ stream: BodyStream, of part: MultipartPart, to write: BodyStream.Write) async throws {
        let length = stream.length
        let written = Locked<Int64>(0)
        @Sendable func isWrong(_ problem: String) -> NetworkError {
            .invalidRequest(
                NetworkFailure(
                    "the stream of the part \"\(VisibleText.line(part.name))\" is \(problem) than the \(length ?? 0) bytes it announced",
                    phase: .send
                )
            )
        }
        try await stream.forEachChunk { chunk in
            let sum = written.withLock { written in
                written += Int64(chunk.count)
                return written
            }
            if let length, sum > length { throw isWrong("longer") }
            try await write(chunk)
        }
        if let length, written.withLock({ $0 }) < length { throw isWrong("shorter") }
    }
}
