import Foundation
import SallyportStorage

/// Writes a file with a stored response under a temporary name, and renames it when it is complete; see ``CacheFileFormat``.
///
/// The temporary file is locked while it is written, so that other processes can tell it from one that a killed process has
/// left. It is removed unless the file was completed.
final class CacheFileWriter: Sendable {
    private struct State: Sendable {
        var file: OpenedFile?
        /// The bytes of the body that have not been written: less than a segment between two calls.
        var pending = Data()
        var segmentDigests = Data()
        /// The number of bytes of the body in the file.
        var written: Int64 = 0
    }

    private let temporary: URL
    private let head: Data
    private let state = Locked(State())

    /// Creates a writer. Nothing is written yet.
    ///
    /// - Parameter folder: The directory for the temporary file, in the same file system as the complete file.
    init(head: Data, in folder: URL) {
        self.head = head
        temporary = folder.appendingPathComponent(UUID().uuidString)
    }

    deinit {
        if state.withLock({ $0.file != nil }) { unlink(temporary.path) }
    }

    /// Adds bytes to the body. Complete segments are written off the cooperative pool.
    func write(_ bytes: Data) async throws(FileSystemError) {
        let isSegment = state.withLock { state in
            state.pending.append(bytes)
            return state.pending.count >= CacheFileFormat.segmentSize
        }
        guard isSegment else { return }
        try await runBlocking { [self] () throws(FileSystemError) in
            try state.withLock { state throws(FileSystemError) in try writeSegments(&state) }
        }
    }

    /// Completes the file, and renames it. Blocks for the disk.
    ///
    /// The file is not synchronized with the disk: after a power failure, an incomplete file is detected by its digests.
    ///
    /// - Parameter destination: The name. An existing file is replaced.
    func complete(as destination: URL) throws(FileSystemError) {
        try state.withLock { state throws(FileSystemError) in
            try writeSegments(&state, includingLast: true)
            let file = try openedFile(&state)
            let lengths = CacheFileFormat.lengths(head: head.count, body: state.written)
            let digests = state.segmentDigests
            try file.write(digests, at: bodyOffset + state.written)
            let digest = CacheFileFormat.digest(lengths: lengths, head: head, segments: digests)
            try file.write(lengths + digest + head, at: 0)
            try FileSystem.move(temporary, to: destination, replacing: true)
            state.file = nil
        }
    }

    private var bodyOffset: Int64 { Int64(CacheFileFormat.headOffset + head.count) }

    private func writeSegments(_ state: inout State, includingLast: Bool = false) throws(FileSystemError) {
        let size = CacheFileFormat.segmentSize
        let count = includingLast ? state.pending.count : state.pending.count / size * size
        if count == 0 { return }
        let bytes = state.pending.prefix(count)
        for start in stride(from: 0, to: count, by: size) {
            let segment = bytes.dropFirst(start).prefix(size)
            state.segmentDigests.append(CacheFileFormat.digest(ofSegment: segment))
        }
        try openedFile(&state).write(bytes, at: bodyOffset + state.written)
        state.written += Int64(count)
        state.pending = Data(state.pending.dropFirst(count))
    }

    private func openedFile(_ state: inout State) throws(FileSystemError) -> OpenedFile {
        if let file = state.file { return file }
        let file = try OpenedFile(temporary, flags: O_CREAT | O_EXCL, mode: 0o600)
        state.file = file
        try file.lock()
        return file
    }
}
