import Foundation
import SallyportTransport

/// A file that is being sent, or a stretch of it, in pieces. Letting go of it closes it.
///
/// It is read away from the threads that tasks share: a slow disk holds up none of them.
final class SentFile: Sendable {
    /// How much is read at a time.
    static let pieceSize = 256 << 10

    /// Why it cannot be sent to its end.
    struct Problem: Error {
        /// What comes after the file's name, as in "cannot be read: Input/output error".
        var text: String
        /// Whether it is another file than it was.
        var isChange = false
    }

    private struct State {
        var position: Int64
        var memory: Data
    }

    /// What it was when it was opened.
    let version: FileVersion

    private let descriptor: CInt
    private let end: Int64
    private let state: Locked<State>

    /// Opens a file, to read it from a byte on.
    ///
    /// - Parameter limit: How many bytes are wanted at most.
    static func open(
        _ url: URL,
        from offset: Int64 = 0,
        limit: Int64 = .max
    ) async throws(Problem) -> SentFile {
        try await onAnotherThread { () throws(Problem) in try SentFile(url, from: offset, limit: limit) }
    }

    private init(_ url: URL, from offset: Int64, limit: Int64) throws(Problem) {
        // Not to wait for a writer, should a pipe have taken the file's place.
        descriptor = retried { Foundation.open(url.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
        guard descriptor >= 0 else { throw .last("cannot be opened any more") }
        guard let file = FileState(descriptor: descriptor), file.isFile else {
            close(descriptor)
            throw Problem(text: "is not a file any more", isChange: true)
        }
        version = file.version
        let count = max(0, min(file.size - offset, limit))
        end = offset + count
        state = Locked(State(position: offset, memory: Data(count: Int(min(count, Int64(Self.pieceSize))))))
    }

    deinit {
        close(descriptor)
    }

    /// The next piece, or `nil` once all has been read.
    ///
    /// - Throws: ``Problem`` when it cannot be read, or has been changed: before its last bytes are given, so that no
    ///   server takes a mixture for the whole. `CancellationError`.
    func next() async throws -> Data? {
        try Task.checkCancellation()
        if state.withLock({ $0.position >= end }) { return nil }
        return try await onAnotherThread { [self] () throws(Problem) in try piece() }
    }

    private func piece() throws(Problem) -> Data {
        try state.withLock { state throws(Problem) in
            let position = state.position
            let most = Int(min(end - position, Int64(Self.pieceSize)))
            // Memory that the transport still holds is left to it, and replaced by a copy.
            let count = state.memory.withUnsafeMutableBytes { bytes in
                retried { pread(descriptor, bytes.baseAddress, min(bytes.count, most), off_t(position)) }
            }
            guard count >= 0 else { throw .last("cannot be read") }
            if count == 0 { throw Problem(text: "became shorter while it was sent", isChange: true) }
            state.position += Int64(count)
            if state.position == end, FileState(descriptor: descriptor)?.version != version {
                throw Problem(text: "changed while it was sent", isChange: true)
            }
            return state.memory.prefix(count)
        }
    }
}

extension SentFile.Problem {
    /// The error of a request whose body the file is, or is a part of.
    func networkError(_ url: URL) -> NetworkError {
        .invalidRequest(
            NetworkFailure(
                "the file \(url.path) \(text)",
                phase: .send,
                advice: isChange ? "send it again once nothing writes to it" : nil
            )
        )
    }

    fileprivate static func last(_ attempt: String) -> SentFile.Problem {
        SentFile.Problem(text: "\(attempt): \(String(cString: strerror(errno)))")
    }
}
