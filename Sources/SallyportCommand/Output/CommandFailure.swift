import Foundation
import Sallyport

/// Why the command ends without success.
struct CommandFailure: Error {
    let status: ExitStatus
    /// A sentence for the person at the terminal; empty to end quietly.
    let message: String

    init(_ status: ExitStatus, _ message: String = "") {
        self.status = status
        self.message = message
    }

    init(_ error: NetworkError) {
        if let failure = error.failure.underlying as? CommandFailure {
            self = failure
        } else {
            self.init(ExitStatus(error), error.description)
        }
    }
}

/// What the system says about the last call that failed.
func systemReason() -> String { String(cString: strerror(errno)) }
