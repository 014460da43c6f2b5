import Foundation

#if canImport(Darwin)
import Darwin
#endif

/// An open directory and the private files in it. Replacing the directory at its path has no effect on an open one.
package final class PrivateDirectory: Sendable {
    private let descriptor: Int32

    /// Opens an existing directory that the current user owns and no other user can write to.
    package init(_ path: String) throws(PrivateAccessError) {
        descriptor = retryingOnEINTR { open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        guard descriptor >= 0 else {
            throw errno == ENOTDIR ? .notDirectory : .system(.last("cannot be opened"))
        }
        try Self.check(FileState(descriptor: descriptor))
    }

    deinit {
        close(descriptor)
    }

    /// Creates a directory that only its owner can access, with its parents, and blocks until they are on the disk.
    ///
    /// Does nothing if the directory exists; its owner and permissions are not checked, see ``checkGuarded(_:)``.
    package static func create(_ path: String) throws(FileSystemError) {
        if mkdir(path, 0o700) != 0 {
            if errno == EEXIST { return }
            let parent = URL(fileURLWithPath: path).deletingLastPathComponent().path
            guard errno == ENOENT, parent != path else { throw .last("cannot be created") }
            try create(parent)
            if mkdir(path, 0o700) != 0 {
                if errno == EEXIST { return }
                throw .last("cannot be created")
            }
        }
        do throws(FileSystemError) {
            try FileSystem.synchronizeDirectory(URL(fileURLWithPath: path).deletingLastPathComponent())
        } catch {
            // A parent that can be written but not read cannot be synchronized; the directory exists nevertheless.
            if error.code != EACCES, error.code != EPERM { throw error }
        }
    }

    /// Checks that a path names a directory that the current user owns and no other user can write to.
    package static func checkGuarded(_ url: URL) throws(PrivateAccessError) {
        try check(FileState(url, followingLinks: true))
    }

    private static func check(_ state: FileState?) throws(PrivateAccessError) {
        guard let state else { throw .system(.last("cannot be examined")) }
        if !state.isDirectory { throw .notDirectory }
        if !state.isOwn { throw .otherOwner }
        if !state.isGuarded { throw .writableByOthers }
    }

    /// Returns the contents of a private file; `nil` if it does not exist.
    package func read(_ name: String, upTo maximum: Int) throws(PrivateAccessError) -> Data? {
        try PrivateFile.read(name, in: descriptor, upTo: maximum)
    }

    /// Creates a private file, and blocks until it is on the disk. An existing file with the name is removed.
    package func write(_ data: Data, as name: String) throws(FileSystemError) {
        try PrivateFile.write(data, to: name, in: descriptor)
    }

    /// Renames a file atomically, and blocks until the change is on the disk. An existing file with the new name is replaced.
    package func rename(_ name: String, to newName: String) throws(FileSystemError) {
        guard renameat(descriptor, name, descriptor, newName) == 0 else { throw .last("cannot be written") }
        try FileSystem.synchronizeDirectory(descriptor)
    }

    /// Removes a file, and blocks until the change is on the disk. Does nothing if the file does not exist.
    package func remove(_ name: String) throws(FileSystemError) {
        if unlinkat(descriptor, name, 0) != 0 {
            if errno == ENOENT { return }
            throw .last("cannot be removed")
        }
        try FileSystem.synchronizeDirectory(descriptor)
    }

    /// Opens a private lock file, and creates it if it does not exist.
    package func openLock(_ name: String) throws(PrivateAccessError) -> FileLock {
        let flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
        let file = retryingOnEINTR { openat(descriptor, name, flags, 0o600) }
        guard file >= 0 else { throw .system(.last("cannot be written")) }
        let lock = FileLock(descriptor: file)
        try PrivateFile.check(file)
        return lock
    }
}
