import Foundation
import SallyportStorage

/// A file that is being sent, or a stretch of it. Letting go of it closes it.
package final class SentFile: BodyReader {
    /// Why it cannot be sent to its end.
    package struct Problem: Error {
        /// What comes after the file's name, as in "cannot be read: Input/output error".
        package var text: String
        /// Whether it is another file than it was.
        package var isChange = false

        package init(text: String, isChange: Bool = false) {
            self.text = text
            self.isChange = isChange
        }
    }

    /// What it was when it was opened.
    package let version: FileVersion

    private let descriptor: CInt
    private let end: Int64
    private let position: Locked<Int64>

    /// What a file is now, one that can be sent.
    package static func version(of url: URL) throws(Problem) -> FileVersion {
        guard let state = FileState(url, followingLinks: true) else { throw .last("cannot be read") }
        guard state.isFile else { throw Problem(text: "is not a file") }
        guard access(url.path, R_OK) == 0 else { throw .last("cannot be read") }
        return state.version
    }

    /// Opens a file, to read it from a byte on.
    ///
    /// - Parameter limit: How many bytes are wanted at most.
    package static func open(
        _ url: URL,
        from offset: Int64 = 0,
        limit: Int64 = .max
    ) async throws(Problem) -> SentFile {
        try await runBlocking { () throws(Problem) in try SentFile(url, from: offset, limit: limit) }
    }

    private init(_ url: URL, from offset: Int64, limit: Int64) throws(Problem) {
        // Not to wait for a writer, should a pipe have taken the file's place.
        descriptor = retryingOnEINTR { Foundation.open(url.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
        guard descriptor >= 0 else { throw .last("cannot be opened any more") }
        guard let file = FileState(descriptor: descriptor), file.isFile else {
            close(descriptor)
            throw Problem(text: "is not a file any more", isChange: true)
        }
        version = file.version
        end = offset + max(0, min(file.size - offset, limit))
        position = Locked(offset)
    }

    deinit {
        close(descriptor)
    }

    /// How many bytes have not been read.
    package var left: Int64 { end - position.withLock { $0 } }

    /// - Throws: ``Problem`` when it cannot be read, or has been changed: before its last bytes are given, so that no
    ///   server takes a mixture for the whole.
    package func read(into bytes: UnsafeMutableRawBufferPointer, mayWait: Bool) throws(Problem) -> Int? {
        try position.withLock { position throws(Problem) in
            let most = Int(min(end - position, Int64(bytes.count)))
            if most == 0 { return 0 }
            let wanted = UnsafeMutableRawBufferPointer(rebasing: bytes[..<most])
            let count = retryingOnEINTR {
                mayWait
                    ? pread(descriptor, wanted.baseAddress, most, off_t(position))
                    : FileSystem.readCached(descriptor, into: wanted, at: position)
            }
            // Linux 5.9 and 5.10 may tell an end where there is none.
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
    /// The error of a request whose body the file is, or is a part of.
    ///
    /// - Parameter phase: How far the request has come.
    package func networkError(_ url: URL, phase: ExchangePhase? = .send) -> NetworkError {
        .invalidRequest(
            NetworkFailure(
                "the file \(url.path) \(text)",
                phase: phase,
                advice: isChange ? "send it again once nothing writes to it" : nil
            )
        )
    }

    fileprivate static func last(_ attempt: String) -> SentFile.Problem {
        SentFile.Problem(text: "\(attempt): \(String(cString: strerror(errno)))")
    }
}
