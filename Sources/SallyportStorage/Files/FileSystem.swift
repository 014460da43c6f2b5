import Foundation

#if canImport(Darwin)
import Darwin
#else
import CCachedRead
#endif

/// Operations on files and directories that Foundation does not provide, or does not perform durably.
package enum FileSystem {
    // MARK: Durability

    /// Blocks until an open file is on the disk.
    package static func synchronize(_ descriptor: Int32) throws(FileSystemError) {
        #if canImport(Darwin)
        if fcntl(descriptor, F_FULLFSYNC) == 0 { return }
        #endif
        guard retryingOnEINTR({ fsync(descriptor) }) == 0 else { throw .last("cannot be written to the disk") }
    }

    /// Blocks until the names in an open directory are on the disk.
    ///
    /// Does nothing on file systems that cannot synchronize directories.
    package static func synchronizeDirectory(_ descriptor: Int32) throws(FileSystemError) {
        do throws(FileSystemError) { try synchronize(descriptor) } catch { if error.code != EINVAL { throw error } }
    }

    /// Blocks until the names in a directory are on the disk.
    package static func synchronizeDirectory(_ url: URL) throws(FileSystemError) {
        let directory = retryingOnEINTR { open(url.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        guard directory >= 0 else { throw .last("cannot be opened") }
        defer { close(directory) }
        try synchronizeDirectory(directory)
    }

    // MARK: Reading

    /// Reads the part of a file that is in the system's page cache, without waiting for the disk.
    ///
    /// - Returns: The number of bytes read; 0 or -1 at the end of the file, or if the read would wait for the disk. Always -1
    ///   on Apple platforms.
    package static func readCached(
        _ descriptor: Int32,
        into bytes: UnsafeMutableRawBufferPointer,
        at offset: Int64
    ) -> Int {
        #if canImport(Darwin)
        -1
        #else
        read_cached(descriptor, bytes.baseAddress, bytes.count, offset)
        #endif
    }

    /// Reads an open file or pipe to its end. Blocks until a pipe ends.
    ///
    /// The size of the file is ignored, because it is zero for pipes and for files in `/proc`.
    ///
    /// - Returns: The content; `nil` if it is longer than `maximum` bytes.
    package static func content(of descriptor: Int32, upTo maximum: Int) throws(FileSystemError) -> Data? {
        var content = Data()
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while content.count <= maximum {
            let count = retryingOnEINTR { read(descriptor, &chunk, chunk.count) }
            guard count >= 0 else { throw .last("cannot be read") }
            if count == 0 { return content }
            content += chunk.prefix(count)
        }
        return nil
    }

    /// Opens a file or pipe, and reads it to its end. Blocks until a pipe ends.
    ///
    /// - Returns: The content; `nil` if it is longer than `maximum` bytes.
    package static func content(of file: URL, upTo maximum: Int) throws(FileSystemError) -> Data? {
        let descriptor = retryingOnEINTR { open(file.path, O_RDONLY | O_CLOEXEC) }
        guard descriptor >= 0 else { throw .last("cannot be opened") }
        defer { close(descriptor) }
        return try content(of: descriptor, upTo: maximum)
    }

    // MARK: Times

    /// Sets the modification time of a file to the current time. The kernel would set it with a resolution of milliseconds only.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - directory: An open directory, to which the path is relative.
    package static func touch(_ path: String, in directory: Int32 = AT_FDCWD) throws(FileSystemError) {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        guard utimensat(directory, path, [now, now], 0) == 0 else { throw .last("cannot be written") }
    }

    // MARK: Names

    /// Renames a file.
    ///
    /// - Parameter replacing: A Boolean value that indicates whether an existing file with the new name is replaced.
    /// - Throws: ``FileSystemError``, with `EEXIST` if a file with the new name exists and must not be replaced.
    package static func move(_ source: URL, to destination: URL, replacing: Bool) throws(FileSystemError) {
        let result = source.path.withCString { source in
            destination.path.withCString { destination in
                replacing ? rename(source, destination) : renameExclusively(source, destination)
            }
        }
        if result != 0 { throw .last("cannot be renamed") }
    }

    /// Removes a name of a file. The file remains if it has another name.
    ///
    /// Does nothing if there is no such file.
    package static func removeName(_ url: URL) throws(FileSystemError) {
        if url.path.withCString({ unlink($0) }) != 0, errno != ENOENT { throw .last("cannot be removed") }
    }

    /// Removes a file, or a directory with its contents. A symbolic link is removed, not its target.
    ///
    /// - Returns: `false` if there is no such file.
    @discardableResult
    package static func remove(_ url: URL) throws(FileSystemError) -> Bool {
        if unlink(url.path) == 0 { return true }
        if errno == ENOENT || errno == ENOTDIR { return false }
        guard errno == EISDIR || errno == EPERM else { throw .last("cannot be removed") }
        do {
            try FileManager.default.removeItem(at: url)
        } catch {
            if FileState(url) == nil { return true }
            let underlying = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
            throw FileSystemError(code: Int32(underlying?.code ?? Int(EACCES)), attempt: "cannot be removed")
        }
        return true
    }

    /// Returns the names in a directory in no particular order, without `.` and `..`.
    package static func names(in url: URL) throws(FileSystemError) -> [String] {
        guard let directory = opendir(url.path) else { throw .last("cannot be read") }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { bytes in
                bytes.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    private static func renameExclusively(_ source: UnsafePointer<CChar>, _ destination: UnsafePointer<CChar>) -> Int32
    {
        #if canImport(Darwin)
        let result = renamex_np(source, destination, UInt32(RENAME_EXCL))
        #else
        let result = renameAt2?(AT_FDCWD, source, AT_FDCWD, destination, 1) ?? unsupported()
        #endif
        guard result != 0, [EINVAL, ENOSYS, ENOTSUP].contains(errno) else { return result }
        // The file system has no exclusive renaming. Creating a hard link fails if the new name exists.
        if link(source, destination) == 0 { return unlink(source) }
        return -1
    }

    #if !canImport(Darwin)
    private typealias RenameAt2 =
        @convention(c) (Int32, UnsafePointer<CChar>, Int32, UnsafePointer<CChar>, UInt32) -> Int32

    /// The system's `renameat2`, which Swift's Glibc module does not export.
    private static let renameAt2: RenameAt2? = dlsym(nil, "renameat2").map { unsafeBitCast($0, to: RenameAt2.self) }

    private static func unsupported() -> Int32 {
        errno = ENOSYS
        return -1
    }
    #endif
}
