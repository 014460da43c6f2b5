import Foundation
import SallyportStorage
import SallyportTransport

/// A request's body, in one of the two forms that a connection can send.
enum OutgoingBody: Sendable {
    /// Bytes that are written together with the head.
    case bytes(Data)
    /// A body that a separate task produces as fast as the connection sends it.
    case produced(Production)

    struct Production: Sendable {
        let length: Int64?
        let produce: @Sendable (BodyWriter) async throws -> Void
    }

    /// The maximum size of a body that is written at once.
    private static let maximumWrite = 64 << 10

    /// Creates the body of a request.
    ///
    /// - Throws: ``NetworkError/invalidRequest(_:)`` if a file cannot be read.
    init(_ body: RequestBody) throws(NetworkError) {
        switch body {
        case .none:
            self = .bytes(Data())
        case .data(let data) where data.count <= Self.maximumWrite:
            self = .bytes(data)
        case .data(let data):
            self = .produced(Production(data))
        case .file(let url):
            let file = try OutgoingFile(url)
            self = .produced(Production(length: file.length) { writer in try await writer.write(file.open()) })
        case .stream(let stream):
            self = .produced(
                Production(length: stream.length) { writer in
                    if let open = stream.open { return try await writer.write(open()) }
                    try await stream.forEachChunk(writer.write)
                }
            )
        }
    }

    /// The number of bytes, or `nil` if it is not known in advance.
    var length: Int64? {
        switch self {
        case .bytes(let data): Int64(data.count)
        case .produced(let production): production.length
        }
    }

    /// The body as a production, so that trailers can follow it.
    var asProduction: Production {
        switch self {
        case .bytes(let data): Production(data)
        case .produced(let production): production
        }
    }
}

extension OutgoingBody.Production {
    fileprivate init(_ data: Data) {
        self.init(length: Int64(data.count)) { writer in try await writer.write(data) }
    }
}

/// A file that is sent as a request's body.
struct OutgoingFile: Sendable {
    private let url: URL
    private let version: FileVersion

    var length: Int64 { version.size }

    /// Records the current version of a file.
    ///
    /// - Throws: ``NetworkError/invalidRequest(_:)`` if the file cannot be read.
    init(_ url: URL) throws(NetworkError) {
        self.url = url
        do throws(SentFile.Problem) {
            version = try SentFile.version(of: url)
        } catch {
            throw error.networkError(url, phase: nil)
        }
    }

    /// Opens the file.
    ///
    /// - Throws: ``NetworkError/invalidRequest(_:)`` if the file has changed since the request was created.
    func open() async throws(NetworkError) -> any BodyReader {
        do throws(SentFile.Problem) {
            let file = try await SentFile.open(url)
            guard file.version == version else { throw SentFile.Problem(text: "was changed", isChange: true) }
            return FileReader(url: url, file: file)
        } catch {
            throw error.networkError(url)
        }
    }
}

private struct FileReader: BodyReader {
    let url: URL
    let file: SentFile

    func read(into bytes: UnsafeMutableRawBufferPointer, mayWait: Bool) throws(NetworkError) -> Int? {
        do throws(SentFile.Problem) {
            return try file.read(into: bytes, mayWait: mayWait)
        } catch {
            throw error.networkError(url)
        }
    }
}
