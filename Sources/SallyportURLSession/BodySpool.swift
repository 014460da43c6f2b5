import Foundation
import SallyportStorage
import SallyportTransport

/// A temporary file that holds a body until it has been sent.
final class BodySpool: Sendable {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("sallyport-\(UUID().uuidString).body")

    /// Writes a stream to the file.
    ///
    /// - Returns: The number of bytes.
    /// - Throws: ``NetworkError/invalidRequest(_:)`` if the length differs from the declared one, or the producer's error.
    func fill(from stream: BodyStream) async throws(NetworkError) -> Int64 {
        let written = Locked(Int64(0))
        do {
            guard
                FileManager.default.createFile(atPath: url.path, contents: nil, attributes: [.posixPermissions: 0o600])
            else { throw NetworkError.networkError(NetworkFailure("the temporary file \(url.path) cannot be created")) }
            let file = try FileHandle(forWritingTo: url)
            defer { try? file.close() }
            try await stream.forEachChunk { chunk in
                try Task.checkCancellation()
                let count = written.withLock { written in
                    written += Int64(chunk.count)
                    return written
                }
                if let length = stream.length, count > length { throw Self.wrongLength("more", than: length) }
                try file.write(contentsOf: chunk)
            }
            try Task.checkCancellation()
        } catch {
            throw NetworkError(wrapping: error, reason: "the request's body could not be produced")
        }
        let count = written.withLock { $0 }
        if let length = stream.length, count < length { throw Self.wrongLength("fewer", than: length) }
        return count
    }

    func remove() {
        try? FileManager.default.removeItem(at: url)
    }

    private static func wrongLength(_ comparison: String, than length: Int64) -> NetworkError {
        .invalidRequest(NetworkFailure("the body has \(comparison) bytes than the declared \(length)", phase: .send))
    }
}

extension SessionRequest.Source {
    /// Returns the source of a file's body: the file, or on Linux its content in memory.
    ///
    /// FoundationNetworking reads files in the background, and traps if the task is cancelled meanwhile.
    static func reading(_ url: URL) throws(NetworkError) -> Self {
        #if canImport(Darwin)
        return .file(url)
        #else
        do {
            return .data(try Data(contentsOf: url))
        } catch {
            throw .invalidRequest(NetworkFailure("the file \(url.path) cannot be read", underlying: error))
        }
        #endif
    }
}
