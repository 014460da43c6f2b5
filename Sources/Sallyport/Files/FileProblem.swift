import Foundation

/// What the system says about a file.
package struct FileProblem: Error, Sendable, Hashable {
    /// The value of `errno`.
    package var code: Int32

    /// What was tried, as in "cannot be written".
    package var attempt: String

    /// Takes up what the last call said.
    package static func last(_ attempt: String) -> FileProblem { FileProblem(code: errno, attempt: attempt) }

    /// The failure of a transfer that is due to it.
    func transferError(_ url: URL) -> TransferError {
        switch code {
        case ENOSPC, EDQUOT: TransferError(.diskFull(url))
        case EWOULDBLOCK: TransferError(.inUse(url))
        default: TransferError(.file(url, description))
        }
    }

    /// Why it failed.
    package var explanation: String {
        switch code {
        case ENOENT: "it, or its folder, is not there"
        case EACCES, EPERM: "permission denied"
        case EROFS: "the disk can only be read"
        case ELOOP: "it is a symbolic link"
        default: String(cString: strerror(code))
        }
    }
}

extension FileProblem: CustomStringConvertible {
    /// What was tried, and why it failed.
    package var description: String { "\(attempt): \(explanation)" }
}
