import Foundation
import Sallyport
import SallyportTransport

#if canImport(Darwin)
import Darwin
#endif

/// An open directory with private files. Changes of its path have no effect on it.
package final class PrivateFolder: Sendable {
    private let descriptor: Int32
    let path: String

    /// Opens an existing directory.
    ///
    /// - Parameter mustBeGuarded: A Boolean value that indicates whether a directory is refused if another user owns it or can
    ///   write to it.
    /// - Throws: ``TokenStoreError``.
    package init(_ path: String, mustBeGuarded: Bool = true) throws(TokenStoreError) {
        self.path = path
        descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw TokenStoreError(.cannotRead, "the folder \(path) \(FileProblem.last("cannot be opened"))")
        }
        if mustBeGuarded { try checkGuarded() }
    }

    deinit {
        close(descriptor)
    }

    /// Creates a directory, accessible only to its owner, unless it exists.
    static func create(_ path: String) throws(TokenStoreError) {
        if mkdir(path, 0o700) == 0 || errno == EEXIST { return }
        let parent = URL(fileURLWithPath: path).deletingLastPathComponent().path
        if errno == ENOENT, parent != path {
            try create(parent)
            if mkdir(path, 0o700) == 0 || errno == EEXIST { return }
        }
        throw TokenStoreError(.cannotWrite, "the folder \(path) \(FileProblem.last("cannot be made"))")
    }

    /// Returns the bytes of a file; `nil` if there is no file.
    ///
    /// - Throws: ``TokenStoreError`` if it is not a regular file that only its owner can access, or if it is too long.
    package func read(_ name: String, upTo most: Int) throws(TokenStoreError) -> Data? {
        do throws(PrivateFile.Refusal) {
            return try PrivateFile.read(name, in: descriptor, upTo: most)
        } catch {
            throw refused(name, error)
        }
    }

    /// Writes a new file that only its owner can access, and flushes it to the disk.
    func write(_ data: Data, as name: String) throws(TokenStoreError) {
        try changing(name) { () throws(FileProblem) in try PrivateFile.write(data, to: name, in: descriptor) }
    }

    /// Replaces a file by another one atomically, and flushes the change to the disk.
    func rename(_ name: String, to other: String) throws(TokenStoreError) {
        try changing(other) { () throws(FileProblem) in
            guard renameat(descriptor, name, descriptor, other) == 0 else { throw .last("cannot be written") }
            try Disk.synchronizeFolder(descriptor)
        }
    }

    /// Removes a file if it exists, and flushes the change to the disk.
    func remove(_ name: String) throws(TokenStoreError) {
        try changing(name, "cannot be removed") { () throws(FileProblem) in
            if unlinkat(descriptor, name, 0) != 0 {
                if errno == ENOENT { return }
                throw .last("cannot be removed")
            }
            try Disk.synchronizeFolder(descriptor)
        }
    }

    /// Opens a lock file, and creates it if it does not exist.
    func openLock(_ name: String) throws(TokenStoreError) -> StoreLock {
        let file = openat(descriptor, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0o600)
        guard file >= 0 else {
            throw TokenStoreError(.cannotWrite, "\(path)/\(name) \(FileProblem.last("cannot be written"))")
        }
        let lock = StoreLock(descriptor: file, path: "\(path)/\(name)")
        do throws(PrivateFile.Refusal) { try PrivateFile.check(file) } catch { throw refused(name, error) }
        return lock
    }

    private func checkGuarded() throws(TokenStoreError) {
        guard let state = FileState(descriptor: descriptor) else {
            throw TokenStoreError(.cannotRead, "the folder \(path) \(FileProblem.last("cannot be looked at"))")
        }
        if !state.isOwn {
            throw TokenStoreError(
                .notPrivate,
                "the folder \(path) belongs to another user; keep tokens in one of your own"
            )
        }
        if !state.isGuarded {
            throw TokenStoreError(.notPrivate, "others can write in the folder \(path): chmod 700 it, or use another")
        }
    }

    private func refused(_ name: String, _ refusal: PrivateFile.Refusal) -> TokenStoreError {
        switch refusal {
        case .problem(let problem): TokenStoreError(.cannotRead, "\(path)/\(name) \(problem)")
        case .symbolicLink: notPrivate(name, "is a symbolic link", "put the file itself there")
        case .notFile: notPrivate(name, "is not a plain file", "remove it")
        case .foreign: notPrivate(name, "belongs to another user", "do not trust what it holds")
        case .open: notPrivate(name, "can be read or changed by others", "chmod 600 it if nobody has, or log in again")
        case .longer(let most):
            TokenStoreError(.tooLarge, "\(path)/\(name) is longer than the \(most) bytes that are read of it")
        }
    }

    private func notPrivate(_ name: String, _ problem: String, _ advice: String) -> TokenStoreError {
        TokenStoreError(.notPrivate, "\(path)/\(name) \(problem), and so is refused; \(advice)")
    }

    /// - Parameter problem: The problem that the error states, whichever step fails.
    private func changing(
        _ name: String,
        _ problem: String = "cannot be written",
        _ body: () throws(FileProblem) -> Void
    ) throws(TokenStoreError) {
        do throws(FileProblem) { try body() } catch {
            throw TokenStoreError(.cannotWrite, "\(path)/\(name) \(problem): \(error.explanation)")
        }
    }
}
