import Foundation
import SallyportTransport

extension RequestBody {
    private static let chunkSize = 64 << 10

    /// The hash of all its bytes.
    ///
    /// - Throws: ``NetworkError/invalidRequest(_:)`` naming a file that cannot be read, or for a stream.
    func hash(by algorithm: DigestAlgorithm) throws(NetworkError) -> String {
        switch self {
        case .none: return algorithm.hash("")
        case .data(let data): return algorithm.hash { update in update(data) }
        case .stream: throw .invalidRequest("a stream cannot be read before it is sent")
        case .file(let file):
            do {
                let handle = try FileHandle(forReadingFrom: file)
                defer { try? handle.close() }
                return try algorithm.hash { update in
                    while let chunk = try handle.read(upToCount: Self.chunkSize), !chunk.isEmpty { update(chunk) }
                }
            } catch {
                let reason = "the file \(file.path) cannot be read: \(error.localizedDescription)"
                throw .invalidRequest(NetworkFailure(reason, underlying: error))
            }
        }
    }
}
