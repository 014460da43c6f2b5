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
        let produce: @Sendable (Outlet) async throws -> Void
    }

    /// Up to this size the bytes of a body are handed to the socket at once.
    private static let largestWrite = 64 << 10

    /// - Throws: ``NetworkError/invalidRequest(_:)`` when a file cannot be read.
    init(_ body: RequestBody) throws(NetworkError) {
        switch body {
        case .none:
            self = .bytes(Data())
        case .data(let data) where data.count <= Self.largestWrite:
            self = .bytes(data)
        case .data(let data):
            self = .produced(Production(data))
        case .file(let url):
            let file = try OutgoingFile(url)
            self = .produced(Production(length: file.length) { outlet in try await outlet.write(file.open()) })
        case .stream(let stream):
            self = .produced(
                Production(length: stream.length) { outlet in
                    if let open = stream.open { return try await outlet.write(open()) }
                    try await stream.forEachChunk(outlet.write)
                }
            )
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
        case .bytes(let data): Production(data)
        case .produced(let production): production
        }
    }
}

extension OutgoingBody.Production {
    fileprivate init(_ data: Data) {
        self.init(length: Int64(data.count)) { outlet in try await outlet.write(data) }
    }
}
