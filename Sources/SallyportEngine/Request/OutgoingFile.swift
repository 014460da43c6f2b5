import Foundation
import NIOPosix
import SallyportTransport

/// A file as a request's body, read away from the event loops while it is sent.
struct OutgoingFile: Sendable {
    let url: URL
    let length: Int64

    private static let chunkSize = 64 << 10

    init(_ url: URL) throws(NetworkError) {
        self.url = url
        do {
            let attributes = try FileManager.default.attributesOfItem(atPath: url.resolvingSymlinksInPath().path)
            guard attributes[.type] as? FileAttributeType == .typeRegular, let size = attributes[.size] as? NSNumber
            else {
                throw NetworkError.invalidRequest("\(url.path) is not a file")
            }
            length = size.int64Value
            try FileHandle(forReadingFrom: url).close()
        } catch let error as NetworkError {
            throw error
        } catch {
            throw .invalidRequest(
                NetworkFailure("the file \(url.path) cannot be read: \(error.localizedDescription)", underlying: error)
            )
        }
    }

    func forEachChunk(_ write: BodyStream.Write) async throws {
        let handle = try FileHandle(forReadingFrom: url)
        defer { try? handle.close() }
        var unread = length
        while unread > 0 {
            let size = min(Int(unread), Self.chunkSize)
            let chunk = try await NIOThreadPool.singleton.runIfActive { try handle.read(upToCount: size) ?? Data() }
            guard !chunk.isEmpty else { return }
            unread -= Int64(chunk.count)
            try await write(chunk)
        }
    }
}
