import Foundation
import SallyportStorage

/// The parts of the file system that integrity checks examine.
package protocol IntegrityFiles: Sendable {
    /// Returns a Boolean value that indicates whether there is a file, directory or symbolic link at a path.
    func exists(_ path: String) -> Bool

    /// Returns a Boolean value that indicates whether there is a symbolic link at a path.
    func isSymbolicLink(_ path: String) -> Bool

    /// Returns the content of a file of at most 16 MiB; `nil` if it cannot be read.
    func contents(of path: String) -> Data?

    /// Returns a Boolean value that indicates whether a file can be created at a path. The file is removed again.
    func canCreate(_ path: String) -> Bool
}

/// The system's file system.
package struct SystemIntegrityFiles: IntegrityFiles {
    private static let maximumSize = 16 << 20

    package init() {}

    package func exists(_ path: String) -> Bool { mode(of: path) != nil }

    package func isSymbolicLink(_ path: String) -> Bool { mode(of: path) == S_IFLNK }

    package func contents(of path: String) -> Data? {
        let descriptor = retryingOnEINTR { open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        return try? FileSystem.content(of: descriptor, upTo: Self.maximumSize)
    }

    package func canCreate(_ path: String) -> Bool {
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC
        let descriptor = retryingOnEINTR { open(path, flags, 0o600 as mode_t) }
        guard descriptor >= 0 else { return false }
        close(descriptor)
        unlink(path)
        return true
    }

    /// Returns the type of the file at a path, without following a symbolic link; `nil` if there is none.
    private func mode(of path: String) -> mode_t? {
        var info = stat()
        return lstat(path, &info) == 0 ? info.st_mode & S_IFMT : nil
    }
}
