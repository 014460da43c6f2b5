import Foundation

/// A failed call to the file system.
package struct FileSystemError: Error, Sendable, Hashable {
    /// The value of `errno`.
    package var code: Int32

    /// The attempted operation, in a form that follows the name of the file: "cannot be written".
    package var attempt: String

    package init(code: Int32, attempt: String) {
        self.code = code
        self.attempt = attempt
    }

    /// Returns the error of the last system call on this thread.
    package static func last(_ attempt: String) -> FileSystemError { FileSystemError(code: errno, attempt: attempt) }

    /// The reason for the failure.
    package var explanation: String {
        switch code {
        case ENOENT: "it, or its folder, does not exist"
        case EACCES, EPERM: "permission denied"
        case EROFS: "the file system is read-only"
        case ELOOP: "it is a symbolic link"
        default: String(cString: strerror(code))
        }
    }
}

extension FileSystemError: CustomStringConvertible {
    /// The attempted operation and the reason for the failure.
    package var description: String { "\(attempt): \(explanation)" }
}

/// Repeats a system call as long as signals interrupt it.
package func retryingOnEINTR<Result: SignedInteger>(_ call: () -> Result) -> Result {
    while true {
        let result = call()
        if result != -1 || errno != EINTR { return result }
    }
}
