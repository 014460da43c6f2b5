import Foundation
import NIOCore
import SallyportTransport

/// A file to which the TLS secrets of connections are appended, in the NSS key log format.
final class KeyLog: Sendable {
    private let file: Int32

    /// Opens or creates the file.
    ///
    /// - Throws: ``NetworkError/invalidRequest(_:)`` for a file that cannot be opened, or is not private to its owner.
    init(_ url: URL) throws(NetworkError) {
        let opened = try Self.openFile(url)
        if let problem = Self.makePrivate(opened) {
            close(opened)
            throw Self.unusable(url, problem)
        }
        file = opened
    }

    /// Opens an existing file or pipe, or creates a file, but not through a symbolic link.
    ///
    /// The file is non-blocking, so that neither opening nor writing waits for the reader of a pipe.
    private static func openFile(_ url: URL) throws(NetworkError) -> Int32 {
        let mode = O_WRONLY | O_APPEND | O_CLOEXEC | O_NONBLOCK
        let file = open(url.path, mode | O_CREAT | O_NOFOLLOW, 0o600)
        if file >= 0 { return file }
        guard errno == ELOOP else { throw unusable(url, systemReason) }
        // The path that a shell passes for a pipe, such as /dev/fd/63, is a symbolic link too.
        let target = open(url.path, mode)
        guard target >= 0 else { throw unusable(url, systemReason) }
        if isRegular(target) {
            close(target)
            throw unusable(url, "it is a symbolic link to a regular file")
        }
        return target
    }

    /// Makes an open file private to its owner. Only regular files are changed and checked.
    ///
    /// - Returns: The reason why the file is not private, or `nil`.
    private static func makePrivate(_ file: Int32) -> String? {
        var status = stat()
        guard fstat(file, &status) == 0 else { return systemReason }
        guard status.st_mode & S_IFMT == S_IFREG else { return nil }
        if status.st_uid != geteuid() { return "it belongs to another user" }
        return fchmod(file, 0o600) == 0 ? nil : systemReason
    }

    private static func isRegular(_ file: Int32) -> Bool {
        var status = stat()
        return fstat(file, &status) != 0 || status.st_mode & S_IFMT == S_IFREG
    }

    deinit {
        close(file)
    }

    /// Appends a line in a single write, so that the lines of several connections do not mix.
    func add(_ line: ByteBuffer) {
        line.withUnsafeReadableBytes { bytes in
            _ = write(file, bytes.baseAddress, bytes.count)
        }
    }

    private static var systemReason: String { String(cString: strerror(errno)) }

    private static func unusable(_ url: URL, _ reason: String) -> NetworkError {
        .invalidRequest(
            NetworkFailure(
                "the key log \(url.path) cannot be used as a private file: \(reason)",
                advice: SettingAdvice.otherKeyLog.rawValue
            )
        )
    }
}
