import Foundation
import NIOCore
import SallyportTransport

/// A file to which the secrets of connections are added, in NSS's format.
final class KeyLog: Sendable {
    private let file: Int32

    /// - Throws: ``NetworkError/invalidRequest(_:)`` naming a file that cannot be opened, or is not for its owner alone.
    init(_ url: URL) throws(NetworkError) {
        file = open(url.path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
        if file < 0 { throw Self.unusable(url) }
        var status = stat()
        // What is no file, such as a pipe to a program that reads it, has permissions of its own.
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT != S_IFREG || fchmod(file, 0o600) == 0 else {
            let error = Self.unusable(url)
            close(file)
            throw error
        }
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

    private static func unusable(_ url: URL) -> NetworkError {
        let reason = String(cString: strerror(errno))
        return .invalidRequest(
            NetworkFailure(
                "the key log \(url.path) cannot be written for its owner alone: \(reason)",
                advice: "give another file, or none"
            )
        )
    }
}
