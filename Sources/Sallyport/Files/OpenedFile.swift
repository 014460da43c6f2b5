import Foundation
import SallyportTransport

#if canImport(Darwin)
import Darwin
#endif

/// A file that is open for reading and writing. Letting go of it closes it, and gives its lock back.
final class OpenedFile: Sendable {
    private let descriptor: Int32

    /// Opens a file, one that is no symbolic link.
    ///
    /// - Parameter flags: `O_CREAT` and the like, beside those for reading and writing.
    convenience init(_ url: URL, flags: Int32 = 0, mode: mode_t = 0o666) throws(FileProblem) {
        try self.init(url.path, in: AT_FDCWD, flags: flags, mode: mode)
    }

    /// - Parameter folder: An open folder, in which the path begins.
    init(_ path: String, in folder: Int32, flags: Int32, mode: mode_t) throws(FileProblem) {
        let flags = flags | O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        descriptor = path.withCString { path in retried { openat(folder, path, flags, mode) } }
        guard descriptor >= 0 else { throw .last("cannot be opened") }
        var facts = stat()
        guard fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw FileProblem(code: EINVAL, attempt: "is not a regular file")
        }
    }

    deinit {
        close(descriptor)
    }

    /// Locks it against other openings of the same file, in this process and in others.
    ///
    /// - Throws: ``FileProblem`` with `EWOULDBLOCK` if another holds the lock.
    func lock() throws(FileProblem) {
        guard retried({ flock(descriptor, LOCK_EX | LOCK_NB) }) == 0 else { throw .last("cannot be locked") }
    }

    /// Opens a file, and locks it: the one that has the name, and not one that has just lost it.
    ///
    /// - Throws: ``FileProblem`` with `EWOULDBLOCK` if another holds the lock.
    static func locked(_ url: URL, flags: Int32 = 0, mode: mode_t = 0o666) throws(FileProblem) -> OpenedFile {
        while true {
            let file = try OpenedFile(url, flags: flags, mode: mode)
            try file.lock()
            // One who finished may have taken the name away before the lock was given back.
            if file.isAt(url) { return file }
        }
    }

    /// How many bytes it has.
    var length: Int64 {
        var facts = stat()
        return fstat(descriptor, &facts) == 0 ? Int64(facts.st_size) : 0
    }

    /// Whether it has names beside the one by which it was opened, so that it is not only the opener's.
    var hasOtherNames: Bool {
        var facts = stat()
        return fstat(descriptor, &facts) == 0 && facts.st_nlink > 1
    }

    /// Whether a path leads to this file, and not to another that has taken its place.
    func isAt(_ url: URL) -> Bool {
        var mine = stat()
        var its = stat()
        guard fstat(descriptor, &mine) == 0, url.path.withCString({ lstat($0, &its) }) == 0 else { return false }
        return mine.st_ino == its.st_ino && mine.st_dev == its.st_dev
    }

    /// Writes all the bytes.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(FileProblem) {
        var written = 0
        while written < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
            let count = retried { pwrite(descriptor, rest.baseAddress, rest.count, off_t(offset) + off_t(written)) }
            guard count > 0 else { throw .last("cannot be written") }
            written += count
        }
    }

    /// Reads as many bytes as fit, or fewer at the end of the file.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(FileProblem) -> Int {
        var filled = 0
        while filled < buffer.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
            let count = retried { pread(descriptor, rest.baseAddress, rest.count, off_t(offset) + off_t(filled)) }
            guard count >= 0 else { throw .last("cannot be read") }
            if count == 0 { break }
            filled += count
        }
        return filled
    }

    /// Cuts it, or makes it longer with a hole.
    func setLength(_ length: Int64) throws(FileProblem) {
        guard retried({ ftruncate(descriptor, off_t(length)) }) == 0 else { throw .last("cannot be cut") }
    }

    /// Waits until the disk has it.
    func synchronize() throws(FileProblem) {
        try Disk.synchronize(descriptor)
    }
}

extension OpenedFile {
    /// Writes all the bytes.
    func write(_ data: Data, at offset: Int64) throws(FileProblem) {
        let result: Result<Void, FileProblem> = data.withUnsafeBytes { bytes in
            Result { () throws(FileProblem) in try write(bytes, at: offset) }
        }
        try result.get()
    }

    /// Writes a text in UTF-8.
    func write(_ text: String, at offset: Int64) throws(FileProblem) {
        var text = text
        let result: Result<Void, FileProblem> = text.withUTF8 { bytes in
            Result { () throws(FileProblem) in try write(UnsafeRawBufferPointer(bytes), at: offset) }
        }
        try result.get()
    }
}

extension Data {
    /// Lets a file be read into it.
    mutating func withBytes<Value>(
        _ body: (UnsafeMutableRawBufferPointer) throws(FileProblem) -> Value
    ) throws(FileProblem) -> Value {
        let result: Result<Value, FileProblem> = withUnsafeMutableBytes { bytes in
            Result { () throws(FileProblem) in try body(bytes) }
        }
        return try result.get()
    }
}
