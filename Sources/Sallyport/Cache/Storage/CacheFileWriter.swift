import Foundation
import SallyportStorage

/// Writes a file with a stored response under a temporary name, and renames it when it is complete; see ``CacheFileFormat``.
///
/// The temporary file is locked while it is written, so that other processes can tell it from one that a killed process has
/// left. It is removed unless the file was completed.
final class CacheFileWriter: Sendable {
    private struct State: Sendable {
        var file: OpenedFile?
        /// The bytes of the body that have not been written.
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
        guard let file = state.withLock({ $0.file }) else { return }
        // A task can release the last reference, and must not wait for the disk.
        startBlocking { [temporary] in
            unlink(temporary.path)
            withExtendedLifetime(file) {}
        }
    }

    /// The number of bytes of the body so far.
    var bodyLength: Int64 { state.withLock { $0.written + Int64($0.pending.count) } }

    /// Adds bytes to the body without writing them.
    ///
    /// - Returns: A Boolean value that indicates whether ``writeSegments()`` has something to write.
    func add(_ bytes: Data) -> Bool {
        state.withLock { state in
            state.pending.append(bytes)
            return state.pending.count >= CacheFileFormat.segmentSize
        }
    }

    /// Writes the complete segments of the body. Blocks for the disk.
    func writeSegments() throws(FileSystemError) {
        try state.withLock { state throws(FileSystemError) in
            try write(state.pending.count / CacheFileFormat.segmentSize * CacheFileFormat.segmentSize, of: &state)
        }
    }

    /// Writes the rest of the file, and moves it. Blocks for the disk.
    ///
    /// The file is not synchronized with the disk: after a power failure, an incomplete file is detected by its digests.
    ///
    /// - Parameter move: A closure that renames the temporary file.
    /// - Returns: The length of the file in bytes.
    func complete(
        moving move: (_ temporary: URL) throws(FileSystemError) -> Void
    ) throws(FileSystemError) -> Int64 {
        try state.withLock { state throws(FileSystemError) in
            try write(state.pending.count, of: &state)
            let file = try openedFile(&state)
            let lengths = CacheFileFormat.lengths(head: head.count, body: state.written)
            let digests = state.segmentDigests
            let digest = CacheFileFormat.digest(lengths: lengths, head: head, segments: digests)
            try file.write(digests, at: bodyOffset + state.written)
            try file.write(lengths + digest + head, at: 0)
            try move(temporary)
            state.file = nil
            return bodyOffset + state.written + Int64(digests.count)
        }
    }

    /// Removes the temporary file, if there is one. Blocks for the disk.
    func discard() {
        let isOpen = state.withLock { state in
            defer { state.file = nil }
            return state.file != nil
        }
        if isOpen { unlink(temporary.path) }
    }

    private var bodyOffset: Int64 { Int64(CacheFileFormat.headOffset + head.count) }

    private func write(_ count: Int, of state: inout State) throws(FileSystemError) {
        if count == 0 { return }
        let bytes = state.pending.prefix(count)
        for start in stride(from: 0, to: count, by: CacheFileFormat.segmentSize) {
            let segment = bytes.dropFirst(start).prefix(CacheFileFormat.segmentSize)
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
