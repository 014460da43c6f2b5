import DequeModule
import Foundation
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import SallyportTransport

/// A file as a request's body, read away from the event loops while it is sent.
struct OutgoingFile: Sendable {
    let url: URL
    let length: Int64

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

    func write(to outlet: Outlet) async throws {
        let handle = try FileHandle(forReadingFrom: url)
        defer { try? handle.close() }
        let reader = FileReader(handle)
        var unread = length
        while unread > 0 {
            let left = unread
            let chunk = try await NIOThreadPool.singleton.runIfActive { try reader.read(upTo: left) }
            guard chunk.readableBytes > 0 else { return }
            unread -= Int64(chunk.readableBytes)
            try await outlet.write(chunk)
        }
    }
}

/// Reads a file piece by piece into memory that it uses again: one piece is read, one waits, and one is sent.
private final class FileReader: Sendable {
    private static let chunkSize = 256 << 10

    private let handle: FileHandle
    private let memory = NIOLockedValueBox(Deque(repeating: ByteBuffer(), count: 3))

    init(_ handle: FileHandle) {
        self.handle = handle
    }

    /// The next piece; an empty one at the file's end.
    func read(upTo limit: Int64) throws -> ByteBuffer {
        let size = Int(min(limit, Int64(Self.chunkSize)))
        return try memory.withLockedValue { memory in
            guard var chunk = memory.popFirst() else { return ByteBuffer() }
            chunk.clear(minimumCapacity: size)
            try chunk.writeWithUnsafeMutableBytes(minimumWritableBytes: size) { bytes in
                try handle.fileDescriptor.read(into: UnsafeMutableRawBufferPointer(rebasing: bytes[..<size]))
            }
            memory.append(chunk)
            return chunk
        }
    }
}

extension CInt {
    fileprivate func read(into bytes: UnsafeMutableRawBufferPointer) throws -> Int {
        while true {
            let count = Foundation.read(self, bytes.baseAddress, bytes.count)
            if count >= 0 { return count }
            if errno != EINTR { throw IOError(errnoCode: errno, reason: "read") }
        }
    }
}
