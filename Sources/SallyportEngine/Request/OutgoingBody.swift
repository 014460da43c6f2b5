import Foundation
import SallyportTransport

/// A request's body in one of the two ways in which a connection sends it.
enum OutgoingBody: Sendable {
    /// Written together with the head.
    case bytes(Data)
    /// Produced by a task of its own, at the pace of the connection.
    case produced(Production)

    struct Production: Sendable {
        let length: Int64?
        let produce: @Sendable (BodyStream.Write) async throws -> Void
    }

    /// Up to this size the bytes of a body are handed to the socket at once.
    private static let largestWrite = 64 << 10
    private static let chunkSize = 64 << 10

    /// - Throws: ``NetworkError/invalidRequest(_:)`` when a file cannot be read.
    init(_ body: RequestBody) throws(NetworkError) {
        switch body {
        case .none:
            self = .bytes(Data())
        case .data(let data) where data.count <= Self.largestWrite:
            self = .bytes(data)
        case .data(let data):
            self = .produced(
                Production(length: Int64(data.count)) { write in try await Self.forEachSlice(data, write) }
            )
        case .file(let url):
            let file = try OutgoingFile(url)
            self = .produced(Production(length: file.length, produce: file.forEachChunk))
        case .stream(let stream):
            self = .produced(Production(length: stream.length, produce: stream.forEachChunk))
        }
    }

    /// The number of bytes, where it is known beforehand.
    var length: Int64? {
        switch self {
        case .bytes(let data): Int64(data.count)
        case .produced(let production): production.length
        }
    }

    /// The same body as a production, so that its end can be followed by trailers.
    var asProduction: Production {
        switch self {
        case .bytes(let data):
            Production(length: Int64(data.count)) { write in try await Self.forEachSlice(data, write) }
        case .produced(let production): production
        }
    }

    private static func forEachSlice(_ data: Data, _ write: BodyStream.Write) async throws {
        var rest = data[...]
        while !rest.isEmpty {
            try await write(rest.prefix(chunkSize))
            rest = rest.dropFirst(chunkSize)
        }
    }
}
