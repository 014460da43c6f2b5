import Foundation
import NIOCore
import SallyportTransport

/// A file to which the secrets of connections are added, in NSS's format.
final class KeyLog: Sendable {
    private let file: Int32

    /// - Throws: ``NetworkError/invalidRequest(_:)`` naming a file that cannot be opened, or is not for its owner alone.
    init(_ url: URL) throws(NetworkError) {
        let opened = try Self.opened(url)
        if let problem = Self.problem(of: opened) {
            close(opened)
            throw Self.unusable(url, problem)
        }
        file = opened
    }

    /// Opens what is there, or a new file. Behind a link nothing is made, and a pipe is waited for neither now nor later.
    private static func opened(_ url: URL) throws(NetworkError) -> Int32 {
        let mode = O_WRONLY | O_APPEND | O_CLOEXEC | O_NONBLOCK
        let file = open(url.path, mode | O_CREAT | O_NOFOLLOW, 0o600)
        if file >= 0 { return file }
        guard errno == ELOOP else { throw unusable(url, systemReason) }
        // What the shell gives for a pipe to a program, such as /dev/fd/63, is a link too.
        let target = open(url.path, mode)
        guard target >= 0 else { throw unusable(url, systemReason) }
        if isRegular(target) {
            close(target)
            throw unusable(url, "it is a link, which may lead to a file of something else")
        }
        return target
    }

    /// Why an open file is not for its owner alone, if it is not. What is no file has permissions of its own.
    private static func problem(of file: Int32) -> String? {
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

    /// Adds a line at once, so that those of several connections do not mix.
    func add(_ line: ByteBuffer) {
        line.withUnsafeReadableBytes { bytes in
            _ = write(file, bytes.baseAddress, bytes.count)
        }
    }

    private static var systemReason: String { String(cString: strerror(errno)) }

    private static func unusable(_ url: URL, _ reason: String) -> NetworkError {
        .invalidRequest(
            NetworkFailure(
                "the key log \(url.path) cannot be written for its owner alone: \(reason)",
                advice: "give another file, or none"
            )
        )
    }
}
