import Foundation

#if canImport(Darwin)
import Darwin
#endif

/// A file that is open for reading and writing. Releasing the last reference unlocks and closes it.
package final class OpenedFile: Sendable {
    private let descriptor: Int32

    /// Opens a regular file. A symbolic link is an error.
    ///
    /// - Parameters:
    ///   - flags: Further flags, such as `O_CREAT`.
    ///   - mode: The permissions of a new file, before the process's umask is applied.
    package convenience init(_ url: URL, flags: Int32 = 0, mode: mode_t = 0o666) throws(FileSystemError) {
        try self.init(url.path, in: AT_FDCWD, flags: flags, mode: mode)
    }

    /// - Parameter directory: An open directory, to which the path is relative.
    package init(_ path: String, in directory: Int32, flags: Int32, mode: mode_t) throws(FileSystemError) {
        let flags = flags | O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        descriptor = path.withCString { path in retryingOnEINTR { openat(directory, path, flags, mode) } }
        guard descriptor >= 0 else { throw .last("cannot be opened") }
        var facts = stat()
        guard fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw FileSystemError(code: EINVAL, attempt: "is not a regular file")
        }
    }

    deinit {
        unlock()
        close(descriptor)
    }

    /// Acquires an exclusive lock on the file, which excludes other processes and other instances in this process.
    ///
    /// - Throws: ``FileSystemError``, with `EWOULDBLOCK` if another holds the lock.
    package func lock() throws(FileSystemError) {
        guard retryingOnEINTR({ flock(descriptor, LOCK_EX | LOCK_NB) }) == 0 else { throw .last("cannot be locked") }
    }

    /// Unlocks the file.
    ///
    /// Closing it would not be enough: a process that another thread is starting has a copy of the descriptor until it
    /// executes its program, and a lock is held until its last copy is closed.
    package func unlock() {
        flock(descriptor, LOCK_UN)
    }

    /// Opens a file that only the current user can change.
    ///
    /// A file that another user owns or may write to, or that has a second name (hard link), is removed first. A file that this
    /// call creates is accepted without checks, because some file systems support neither owners nor permissions.
    ///
    /// - Parameters:
    ///   - mode: The permissions of a new file, without write access for others; `nil` if the file must exist.
    ///   - isLocked: A Boolean value that indicates whether the file is locked.
    ///   - onRemoval: A closure that is called with the reason why a file was removed.
    /// - Throws: ``FileSystemError``, with `EWOULDBLOCK` if another process or instance holds the lock.
    package static func guarded(
        _ url: URL,
        creating mode: mode_t?,
        isLocked: Bool = true,
        onRemoval: (String) -> Void = { _ in }
    ) throws(FileSystemError) -> OpenedFile {
        // The number is limited because another user could replace each file that is removed.
        for _ in 0..<100 {
            let found = FileState(url)
            if let found, found.isFile, !found.isOwn {
                // Checked before opening: the owner may have denied access to the file, or may hold its lock.
                try removeUntrusted(url, "belongs to another user")
                onRemoval("the stored progress belongs to another user")
                continue
            }
            let isNew = found == nil && mode != nil
            let file: OpenedFile
            do throws(FileSystemError) {
                file = try OpenedFile(url, flags: isNew ? O_CREAT | O_EXCL : 0, mode: mode ?? 0)
            } catch {
                if isNew && error.code == EEXIST || mode != nil && error.code == ENOENT { continue }
                throw error
            }
            if isLocked { try file.lock() }
            // The previous holder of the lock may have renamed or removed the file.
            guard file.isAt(url) else { continue }
            if isNew { return file }
            guard let state = FileState(descriptor: file.descriptor), state.isGuarded else {
                try removeUntrusted(url, "can be changed by other users")
                onRemoval("other users can change the stored progress")
                continue
            }
            if !file.hasOtherNames { return file }
            try FileSystem.removeName(url)
            onRemoval("the stored progress has a second name")
        }
        throw FileSystemError(code: EEXIST, attempt: "cannot be created because another process keeps replacing it")
    }

    private static func removeUntrusted(_ url: URL, _ reason: String) throws(FileSystemError) {
        do throws(FileSystemError) {
            try FileSystem.removeName(url)
        } catch {
            let attempt = "\(reason), so it is not used; choose another folder, because it cannot be removed"
            throw FileSystemError(code: error.code, attempt: attempt)
        }
    }

    /// Returns the permissions of a new file in a folder, by creating one. Reading the umask would change it for all threads.
    ///
    /// - Throws: ``FileSystemError``. On Linux, this includes a file system that does not support files without a name.
    package static func defaultPermissions(in folder: URL) throws(FileSystemError) -> mode_t {
        #if canImport(Darwin)
        let url = folder.appendingPathComponent(".\(UUID().uuidString).sallyport")
        let file = try OpenedFile(url, flags: O_CREAT | O_EXCL)
        unlink(url.path)
        return file.permissions
        #else
        // `O_TMPFILE`, which Swift's Glibc module does not export.
        let withoutName = 0o20_000_000 | O_DIRECTORY
        let flags = withoutName | O_RDWR | O_CLOEXEC
        let descriptor = folder.path.withCString { path in retryingOnEINTR { openat(AT_FDCWD, path, flags, 0o666) } }
        guard descriptor >= 0 else { throw .last("cannot be opened") }
        defer { close(descriptor) }
        var facts = stat()
        guard fstat(descriptor, &facts) == 0 else { throw .last("cannot be examined") }
        return facts.st_mode & 0o777
        #endif
    }

    /// The permissions of the file.
    package var permissions: mode_t {
        var facts = stat()
        return fstat(descriptor, &facts) == 0 ? facts.st_mode & 0o777 : 0
    }

    /// Changes the permissions of the file.
    package func setPermissions(_ mode: mode_t) throws(FileSystemError) {
        guard fchmod(descriptor, mode) == 0 else { throw .last("cannot be given its permissions") }
    }

    /// The length of the file in bytes.
    package var length: Int64 {
        var facts = stat()
        return fstat(descriptor, &facts) == 0 ? Int64(facts.st_size) : 0
    }

    /// A Boolean value that indicates whether the file has more than one name (hard links).
    package var hasOtherNames: Bool {
        var facts = stat()
        return fstat(descriptor, &facts) == 0 && facts.st_nlink > 1
    }

    /// Returns a Boolean value that indicates whether a URL still names this file and not one that has replaced it.
    package func isAt(_ url: URL) -> Bool {
        guard let own = FileState(descriptor: descriptor), let found = FileState(url) else { return false }
        return own.isSameFile(as: found)
    }

    /// Writes all bytes.
    package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(FileSystemError) {
        var written = 0
        while written < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
            let count = retryingOnEINTR {
                pwrite(descriptor, rest.baseAddress, rest.count, off_t(offset) + off_t(written))
            }
            guard count > 0 else { throw .last("cannot be written") }
            written += count
        }
    }

    /// Reads bytes until the buffer is full or the file ends.
    ///
    /// - Returns: The number of bytes read.
    package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(FileSystemError) -> Int {
        var filled = 0
        while filled < buffer.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
            let count = retryingOnEINTR {
                pread(descriptor, rest.baseAddress, rest.count, off_t(offset) + off_t(filled))
            }
            guard count >= 0 else { throw .last("cannot be read") }
            if count == 0 { break }
            filled += count
        }
        return filled
    }

    /// Truncates the file, or extends it with zeros.
    package func setLength(_ length: Int64) throws(FileSystemError) {
        guard retryingOnEINTR({ ftruncate(descriptor, off_t(length)) }) == 0 else { throw .last("cannot be truncated") }
    }

    /// Blocks until the file is on the disk.
    package func synchronize() throws(FileSystemError) {
        try FileSystem.synchronize(descriptor)
    }
}

extension OpenedFile {
    /// Writes all bytes.
    package func write(_ data: Data, at offset: Int64) throws(FileSystemError) {
        let result: Result<Void, FileSystemError> = data.withUnsafeBytes { bytes in
            Result { () throws(FileSystemError) in try write(bytes, at: offset) }
        }
        try result.get()
    }

    /// Writes a string in UTF-8.
    package func write(_ text: String, at offset: Int64) throws(FileSystemError) {
        var text = text
        let result: Result<Void, FileSystemError> = text.withUTF8 { bytes in
            Result { () throws(FileSystemError) in try write(UnsafeRawBufferPointer(bytes), at: offset) }
        }
        try result.get()
    }
}

extension Data {
    /// Calls a closure with the mutable bytes, for example to read a file into them.
    package mutating func withBytes<Value>(
        _ body: (UnsafeMutableRawBufferPointer) throws(FileSystemError) -> Value
    ) throws(FileSystemError) -> Value {
        let result: Result<Value, FileSystemError> = withUnsafeMutableBytes { bytes in
            Result { () throws(FileSystemError) in try body(bytes) }
        }
        return try result.get()
    }
}
