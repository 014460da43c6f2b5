import Foundation

#if canImport(Darwin)
import Darwin
#endif

/// The reason why a file or directory is not accepted as private, or cannot be read.
package enum PrivateAccessError: Error, Sendable, Hashable {
    case system(FileSystemError)
    case symbolicLink
    /// It is not a regular file.
    case notFile
    /// It is not a directory.
    case notDirectory
    /// Another user owns it.
    case otherOwner
    /// Other users can read or change the file.
    case accessibleToOthers
    /// Other users can write to the directory.
    case writableByOthers
    /// The file is longer than the maximum number of bytes.
    case tooLong(maximum: Int)
}

/// Files that only their owner can read and write.
///
/// A path may be relative to an open directory.
package enum PrivateFile {
    /// Returns the contents of a file; `nil` if it does not exist.
    ///
    /// - Parameters:
    ///   - maximum: The maximum length in bytes.
    ///   - isTrusted: A closure that returns `true` for a regular file that is accepted although it is not private.
    package static func read(
        _ path: String,
        in directory: Int32 = AT_FDCWD,
        upTo maximum: Int,
        unless isTrusted: (FileState) -> Bool = { _ in false }
    ) throws(PrivateAccessError) -> Data? {
        // Opening a pipe must not wait for a writer.
        let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
        let file = retryingOnEINTR { openat(directory, path, flags) }
        guard file >= 0 else {
            if errno == ENOENT { return nil }
            throw errno == ELOOP ? .symbolicLink : .system(.last("cannot be read"))
        }
        defer { close(file) }
        if FileState(descriptor: file).map({ $0.isFile && isTrusted($0) }) != true { try check(file) }
        do throws(FileSystemError) {
            if let content = try FileSystem.content(of: file, upTo: maximum) { return content }
        } catch {
            throw .system(error)
        }
        throw .tooLong(maximum: maximum)
    }

    /// Checks that an open file is a regular file that only its owner can access.
    package static func check(_ descriptor: Int32) throws(PrivateAccessError) {
        guard let state = FileState(descriptor: descriptor) else { throw .system(.last("cannot be examined")) }
        if !state.isFile { throw .notFile }
        if !state.isOwn { throw .otherOwner }
        if !state.isPrivate { throw .accessibleToOthers }
    }

    /// Creates a file, and blocks until it is on the disk. An existing file with the name is removed.
    package static func write(_ data: Data, to path: String, in directory: Int32) throws(FileSystemError) {
        try create(path, in: directory, with: data)
    }

    /// Replaces a file atomically, by renaming a new file that is on the disk.
    package static func replace(_ url: URL, with data: Data) throws(FileSystemError) {
        let temporary = url.deletingLastPathComponent()
            .appendingPathComponent("\(url.lastPathComponent).\(UUID().uuidString)")
        try replace(url, with: data, by: temporary)
    }

    /// Replaces a file atomically, by renaming a new file.
    ///
    /// - Parameters:
    ///   - temporary: The name of the new file until it is complete. No other process may use it.
    ///   - durably: A Boolean value that indicates whether the method blocks until the new file is on the disk.
    ///   - locked: A Boolean value that indicates whether the new file is locked before it is renamed.
    /// - Returns: The new file.
    @discardableResult
    package static func replace(
        _ url: URL,
        with data: Data,
        by temporary: URL,
        durably: Bool = true,
        locked: Bool = false
    ) throws(FileSystemError) -> OpenedFile {
        let file = try create(temporary.path, with: data, durably: durably, locked: locked)
        do throws(FileSystemError) {
            try FileSystem.move(temporary, to: url, replacing: true)
            return file
        } catch {
            unlink(temporary.path)
            throw error
        }
    }

    @discardableResult
    private static func create(
        _ path: String,
        in directory: Int32 = AT_FDCWD,
        with data: Data,
        durably: Bool = true,
        locked: Bool = false
    ) throws(FileSystemError) -> OpenedFile {
        unlinkat(directory, path, 0)
        let file = try OpenedFile(path, in: directory, flags: O_CREAT | O_EXCL, mode: 0o600)
        do throws(FileSystemError) {
            if locked { try file.lock() }
            try file.write(data, at: 0)
            if durably { try file.synchronize() }
            return file
        } catch {
            unlinkat(directory, path, 0)
            throw error
        }
    }
}
