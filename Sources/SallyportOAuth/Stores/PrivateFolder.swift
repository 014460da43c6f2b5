import Foundation

#if canImport(Darwin)
import Darwin
#endif

/// A folder that is held open, and the private files in it: what happens to its path meanwhile has no effect.
package final class PrivateFolder: Sendable {
    private let descriptor: Int32
    let path: String

    /// Opens a folder, which has to be there.
    ///
    /// - Parameter mustBeGuarded: Whether nobody else may own it or write in it.
    /// - Throws: ``TokenStoreError`` naming the folder.
    package init(_ path: String, mustBeGuarded: Bool = true) throws(TokenStoreError) {
        self.path = path
        descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw TokenStoreError(.cannotRead, "the folder \(path) cannot be opened: \(lastProblem())")
        }
        if mustBeGuarded { try checkGuarded() }
    }

    deinit {
        close(descriptor)
    }

    /// Makes a folder for its owner alone, unless there is one.
    static func create(_ path: String) throws(TokenStoreError) {
        if mkdir(path, 0o700) == 0 || errno == EEXIST { return }
        let parent = URL(fileURLWithPath: path).deletingLastPathComponent().path
        if errno == ENOENT, parent != path {
            try create(parent)
            if mkdir(path, 0o700) == 0 || errno == EEXIST { return }
        }
        throw TokenStoreError(.cannotWrite, "the folder \(path) cannot be made: \(lastProblem())")
    }

    /// The bytes of a file; `nil` if there is none.
    ///
    /// - Throws: ``TokenStoreError`` if it is not a plain file of its owner's alone, or too long.
    package func read(_ name: String, upTo most: Int) throws(TokenStoreError) -> Data? {
        // Not waiting for the other end, should it be a pipe.
        let file = openat(descriptor, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard file >= 0 else {
            if errno == ENOENT { return nil }
            if errno == ELOOP { throw notPrivate(name, "is a symbolic link", "put the file itself there") }
            throw TokenStoreError(.cannotRead, "\(path)/\(name) cannot be read: \(lastProblem())")
        }
        defer { close(file) }
        try checkPrivate(file, name)
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16_384)
        while bytes.count <= most {
            let count = Foundation.read(file, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else {
                throw TokenStoreError(.cannotRead, "\(path)/\(name) cannot be read: \(lastProblem())")
            }
            if count == 0 { return Data(bytes) }
            bytes += chunk.prefix(count)
        }
        throw TokenStoreError(.tooLarge, "\(path)/\(name) is longer than the \(most) bytes that are read of it")
    }

    /// Writes a new file for its owner alone, and waits until the disk has it.
    func write(_ data: Data, as name: String) throws(TokenStoreError) {
        unlinkat(descriptor, name, 0)
        let file = openat(descriptor, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw cannotWrite(name) }
        defer { close(file) }
        var written = 0
        while written < data.count {
            let more = data.withUnsafeBytes { bytes in
                Foundation.write(file, bytes.baseAddress?.advanced(by: written), bytes.count - written)
            }
            if more < 0, errno == EINTR { continue }
            guard more > 0 else { throw cannotWrite(name) }
            written += more
        }
        guard synchronize(file) else { throw cannotWrite(name) }
    }

    /// Puts one file in the place of another at once, and waits until the disk knows.
    func rename(_ name: String, to other: String) throws(TokenStoreError) {
        guard renameat(descriptor, name, descriptor, other) == 0, synchronize(descriptor) else {
            throw cannotWrite(other)
        }
    }

    /// Removes a file if it is there, and waits until the disk knows.
    func remove(_ name: String) throws(TokenStoreError) {
        if unlinkat(descriptor, name, 0) != 0 {
            if errno == ENOENT { return }
            throw TokenStoreError(.cannotWrite, "\(path)/\(name) cannot be removed: \(lastProblem())")
        }
        guard synchronize(descriptor) else { throw cannotWrite(name) }
    }

    /// Opens a file to lock, which is made if it is not there.
    func openLock(_ name: String) throws(TokenStoreError) -> StoreLock {
        let file = openat(descriptor, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw cannotWrite(name) }
        let lock = StoreLock(descriptor: file, path: "\(path)/\(name)")
        try checkPrivate(file, name)
        return lock
    }

    private func checkGuarded() throws(TokenStoreError) {
        var info = stat()
        guard fstat(descriptor, &info) == 0 else {
            throw TokenStoreError(.cannotRead, "the folder \(path) cannot be looked at: \(lastProblem())")
        }
        if info.st_uid != geteuid() {
            throw TokenStoreError(
                .notPrivate,
                "the folder \(path) belongs to another user; keep tokens in one of your own"
            )
        }
        if info.st_mode & 0o022 != 0 {
            throw TokenStoreError(.notPrivate, "others can write in the folder \(path): chmod 700 it, or use another")
        }
    }

    private func checkPrivate(_ file: Int32, _ name: String) throws(TokenStoreError) {
        var info = stat()
        guard fstat(file, &info) == 0 else {
            throw TokenStoreError(.cannotRead, "\(path)/\(name) cannot be looked at: \(lastProblem())")
        }
        guard info.st_mode & S_IFMT == S_IFREG else { throw notPrivate(name, "is not a plain file", "remove it") }
        if info.st_uid != geteuid() {
            throw notPrivate(name, "belongs to another user", "do not trust what it holds")
        }
        if info.st_mode & 0o077 != 0 {
            throw notPrivate(name, "can be read or changed by others", "chmod 600 it if nobody has, or log in again")
        }
    }

    private func notPrivate(_ name: String, _ problem: String, _ advice: String) -> TokenStoreError {
        TokenStoreError(.notPrivate, "\(path)/\(name) \(problem), and so is refused; \(advice)")
    }

    private func cannotWrite(_ name: String) -> TokenStoreError {
        TokenStoreError(.cannotWrite, "\(path)/\(name) cannot be written: \(lastProblem())")
    }
}

/// Waits until a disk has what was written.
private func synchronize(_ descriptor: Int32) -> Bool {
    #if canImport(Darwin)
    if fcntl(descriptor, F_FULLFSYNC) == 0 { return true }
    #endif
    return fsync(descriptor) == 0
}

/// What the system says of the call that failed last.
private func lastProblem() -> String { String(cString: strerror(errno)) }
