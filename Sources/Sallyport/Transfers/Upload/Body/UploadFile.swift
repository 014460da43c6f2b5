import Foundation
import SallyportTransport

/// A file that is uploaded.
enum UploadFile {
    /// How much is read at a time.
    static let chunkSize = 256 << 10

    /// What tells whether a file is still the same.
    struct State: Sendable, Hashable, Codable {
        var size: Int64
        /// When it was changed last, in nanoseconds since 1970.
        var modified: Int64
        var device: UInt64
        var number: UInt64
    }

    /// - Throws: ``TransferError`` when it is not a file, or cannot be read.
    static func state(of url: URL) throws(TransferError) -> State {
        var status = stat()
        guard stat(url.path, &status) == 0 else { throw TransferError(.file(url, lastProblem)) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw TransferError(.file(url, "is not a file")) }
        guard access(url.path, R_OK) == 0 else { throw TransferError(.file(url, lastProblem)) }
        return State(status)
    }

    /// Gives the chunks of a stretch in order, waiting for each to be taken.
    ///
    /// - Parameter expected: What the file was when the upload began.
    /// - Throws: ``TransferError`` when the file cannot be read, or has been changed: before its last bytes are given,
    ///   so that no server takes a mixture for the whole.
    static func forEachChunk(
        of url: URL,
        as expected: State?,
        from offset: Int64,
        limit: Int64,
        write: @Sendable (Data) async throws -> Void
    ) async throws {
        let handle = try FileHandle(forReadingFrom: url)
        defer { try? handle.close() }
        try handle.seek(toOffset: UInt64(offset))
        var unread = min((expected?.size ?? 0) - offset, limit)
        var memory = Data(count: Int(min(Int64(chunkSize), max(unread, 0))))
        if State(of: handle) != expected { throw changed(url) }
        while unread > 0 {
            // Memory that the transport still holds is left to it, and replaced by a copy.
            let count = try memory.withUnsafeMutableBytes { try handle.fileDescriptor.read(into: $0, upTo: unread) }
            unread -= Int64(count)
            if count == 0 || (unread == 0 && State(of: handle) != expected) { throw changed(url) }
            try await write(memory.prefix(count))
        }
    }

    private static func changed(_ url: URL) -> TransferError {
        TransferError(.file(url, "was changed while it was sent; start it again"))
    }

    private static var lastProblem: String { String(cString: strerror(errno)) }
}

extension UploadFile.State {
    fileprivate init(_ status: stat) {
        size = Int64(status.st_size)
        #if canImport(Darwin)
        let time = status.st_mtimespec
        #else
        let time = status.st_mtim
        #endif
        modified = Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
        device = UInt64(truncatingIfNeeded: status.st_dev)
        number = UInt64(status.st_ino)
    }

    fileprivate init?(of handle: FileHandle) {
        var status = stat()
        guard fstat(handle.fileDescriptor, &status) == 0 else { return nil }
        self.init(status)
    }
}

extension CInt {
    fileprivate func read(into bytes: UnsafeMutableRawBufferPointer, upTo limit: Int64) throws -> Int {
        while true {
            let count = Foundation.read(self, bytes.baseAddress, Int(Swift.min(Int64(bytes.count), limit)))
            if count >= 0 { return count }
            if errno != EINTR { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        }
    }
}
