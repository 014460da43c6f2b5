import Foundation
import SallyportTransport

/// A file that is being sent as part of a form. Letting go of it closes it.
///
/// It is read away from the threads that tasks share: a slow disk holds up none of them.
final class OutgoingPartFile: Sendable {
    private static let chunkSize = 256 << 10

    private let url: URL
    private let descriptor: CInt
    private let start: FileStamp
    private let left: Locked<Int64>

    /// Opens it.
    ///
    /// - Parameter length: How long it was when it was announced.
    /// - Throws: ``NetworkError/invalidRequest(_:)`` if it is not there any more, or has another length by now.
    init(_ url: URL, length: Int64) throws(NetworkError) {
        // Not to wait for a writer, should a pipe have taken the file's place.
        let descriptor = open(url.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            throw Self.failure(url, "cannot be opened any more: \(String(cString: strerror(errno)))")
        }
        guard let start = FileStamp(of: descriptor), start.isRegularFile, start.length == length else {
            close(descriptor)
            throw Self.failure(url, "has another length than the \(length) bytes that were announced")
        }
        self.url = url
        self.descriptor = descriptor
        self.start = start
        left = Locked(length)
    }

    deinit {
        close(descriptor)
    }

    /// The next chunk, or `nil` once all has been read and the file is still the same.
    func next() async throws -> Data? {
        try Task.checkCancellation()
        return try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(with: Result { try self.chunk() })
            }
        }
    }

    private func chunk() throws -> Data? {
        let size = Int(min(left.withLock { $0 }, Int64(Self.chunkSize)))
        guard size > 0 else {
            if FileStamp(of: descriptor) != start { throw Self.failure(url, "changed while it was sent") }
            return nil
        }
        var chunk = Data(count: size)
        let count = try chunk.withUnsafeMutableBytes { bytes in
            while true {
                let count = read(descriptor, bytes.baseAddress, bytes.count)
                if count >= 0 { return count }
                if errno == EINTR { continue }
                throw Self.failure(url, "cannot be read: \(String(cString: strerror(errno)))")
            }
        }
        if count == 0 { throw Self.failure(url, "became shorter while it was sent") }
        left.withLock { $0 -= Int64(count) }
        return count == size ? chunk : chunk.prefix(count)
    }

    private static func failure(_ url: URL, _ problem: String) -> NetworkError {
        .invalidRequest(
            NetworkFailure(
                "the file \(url.path) \(problem)",
                phase: .send,
                advice: "send it again once nothing writes to it"
            )
        )
    }
}

/// What tells that a file has changed.
private struct FileStamp: Equatable {
    let isRegularFile: Bool
    let length: Int64
    private let seconds: Int
    private let nanoseconds: Int

    init?(of descriptor: CInt) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        isRegularFile = status.st_mode & S_IFMT == S_IFREG
        length = Int64(status.st_size)
        #if os(Linux)
        let modified = status.st_mtim
        #else
        let modified = status.st_mtimespec
        #endif
        seconds = Int(modified.tv_sec)
        nanoseconds = Int(modified.tv_nsec)
    }
}
