import Foundation
import Sallyport
import SallyportOAuth

/// Why the command ends without success.
struct CommandFailure: Error {
    let status: ExitStatus
    /// A sentence for the person at the terminal; empty to end quietly.
    let message: String

    /// - Parameter message: An error's text may name settings of the SDK, which become options of the command.
    init(_ status: ExitStatus, _ message: String = "") {
        self.status = status
        self.message = SettingAdvice.inOptions(message)
    }

    init(_ error: NetworkError) {
        if let failure = error.failure.underlying as? CommandFailure {
            self = failure
        } else if let error = error.failure.underlying as? OAuthSessionError {
            self.init(error)
        } else {
            self.init(ExitStatus(error), error.description)
        }
    }
}

extension CommandFailure {
    /// A server's refusal.
    init(_ error: OAuthError) {
        self.init(.loginDenied, "\(error)")
    }

    /// Why there is no token.
    init(_ error: OAuthSessionError) {
        switch error {
        case .network(let error): self.init(error)
        case .store(let error):
            self.init(error.reason == .cannotWrite ? .writeError : .unreadableInput, "\(error)")
        case .notLoggedIn, .expired, .ended, .answerLost, .otherClient:
            self.init(.loginDenied, "\(error)")
        case .refused(let error): self.init(error)
        }
    }
}

/// What the system says about the last call that failed.
func systemReason() -> String { String(cString: strerror(errno)) }
