import Foundation
import SallyportStorage

/// An open file, or a range of its bytes, that is sent as a body. It is closed when the last reference is released.
package final class SentFile: BodyReader {
    /// The reason why a file cannot be sent completely.
    package struct Problem: Error {
        /// The reason, in a form that follows the name of the file: "cannot be read: Input/output error".
        package var text: String
        /// A Boolean value that indicates whether the file was changed or replaced.
        package var isChange = false

        package init(text: String, isChange: Bool = false) {
            self.text = text
            self.isChange = isChange
        }
    }

    /// The version of the file when it was opened.
    package let version: FileVersion

    private let descriptor: CInt
    private let end: Int64
    private let position: Locked<Int64>

    /// Returns the current version of a file.
    ///
    /// - Throws: ``Problem`` if the file cannot be sent.
    package static func version(of url: URL) throws(Problem) -> FileVersion {
        guard let state = FileState(url, followingLinks: true) else { throw .last("cannot be read") }
        guard state.isFile else { throw Problem(text: "is not a file") }
        guard access(url.path, R_OK) == 0 else { throw .last("cannot be read") }
        return state.version
    }

    /// Opens a file.
    ///
    /// - Parameters:
    ///   - offset: The offset of the first byte to read.
    ///   - limit: The maximum number of bytes to read.
    package static func open(
        _ url: URL,
        from offset: Int64 = 0,
        limit: Int64 = .max
    ) async throws(Problem) -> SentFile {
        try await runBlocking { () throws(Problem) in try SentFile(url, from: offset, limit: limit) }
    }

    private init(_ url: URL, from offset: Int64, limit: Int64) throws(Problem) {
        // If a pipe has replaced the file, opening it must not wait for a writer.
        descriptor = retryingOnEINTR { Foundation.open(url.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
        guard descriptor >= 0 else { throw .last("can no longer be opened") }
        guard let file = FileState(descriptor: descriptor), file.isFile else {
            close(descriptor)
            throw Problem(text: "is no longer a file", isChange: true)
        }
        version = file.version
        end = offset + max(0, min(file.size - offset, limit))
        position = Locked(offset)
    }

    deinit {
        close(descriptor)
    }

    /// The number of bytes that have not been read.
    package var left: Int64 { end - position.withLock { $0 } }

    /// Reads the next bytes; see ``BodyReader``.
    ///
    /// - Throws: ``Problem`` if the file cannot be read or was changed. A change is detected before the last bytes are returned, so
    ///   that no server accepts a mixture of two versions as complete.
    package func read(into bytes: UnsafeMutableRawBufferPointer, mayWait: Bool) throws(Problem) -> Int? {
        try position.withLock { position throws(Problem) in
            let maximum = Int(min(end - position, Int64(bytes.count)))
            if maximum == 0 { return 0 }
            let buffer = UnsafeMutableRawBufferPointer(rebasing: bytes[..<maximum])
            let count = retryingOnEINTR {
                mayWait
                    ? pread(descriptor, buffer.baseAddress, maximum, off_t(position))
                    : FileSystem.readCached(descriptor, into: buffer, at: position)
            }
            // Linux 5.9 and 5.10 may report the end of the file although there are more bytes.
            if count <= 0, !mayWait { return nil }
            guard count >= 0 else { throw .last("cannot be read") }
            if count == 0 { throw Problem(text: "became shorter while it was sent", isChange: true) }
            position += Int64(count)
            if position == end, FileState(descriptor: descriptor)?.version != version {
                throw Problem(text: "changed while it was sent", isChange: true)
            }
            return count
        }
    }
}

extension SentFile.Problem {
    /// Returns the error of a request whose body is or contains the file.
    ///
    /// - Parameter phase: The phase of the request.
    package func networkError(_ url: URL, phase: ExchangePhase? = .send) -> NetworkError {
        .invalidRequest(
            NetworkFailure(
                "the file \(url.path) \(text)",
                phase: phase,
                advice: isChange ? "send it again when no program is changing it" : nil
            )
        )
    }

    fileprivate static func last(_ attempt: String) -> SentFile.Problem {
        SentFile.Problem(text: "\(attempt): \(String(cString: strerror(errno)))")
    }
}
