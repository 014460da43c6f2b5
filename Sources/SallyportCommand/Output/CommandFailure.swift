import Foundation
import Sallyport
import SallyportJourney
import SallyportOAuth
import SallyportStorage
import SallyportTransfers

/// The exit status and the message with which the command ends.
struct CommandFailure: Error {
    let status: ExitStatus
    /// A sentence for standard error; empty to end silently.
    let message: String

    /// Creates a failure. Advice in the message that names settings of the SDK is replaced by advice that names options.
    init(_ status: ExitStatus, _ message: String = "") {
        self.status = status
        self.message = SettingAdvice.inOptions(message)
    }
}

extension CommandFailure: CustomStringConvertible {
    /// The message, for an error of the SDK that this failure has caused.
    var description: String { message }
}

/// An error that the command reports to the user.
protocol ReportableError: Error {
    /// The exit status and the message for the error.
    var commandFailure: CommandFailure { get }

    /// The error of the login that caused this one, if any.
    var sessionError: OAuthSessionError? { get }
}

extension ReportableError {
    var sessionError: OAuthSessionError? { nil }
}

extension CommandFailure: ReportableError {
    var commandFailure: CommandFailure { self }
}

extension NetworkError: ReportableError {
    var commandFailure: CommandFailure {
        if let failure = failure.underlying as? CommandFailure { return failure }
        if let error = failure.underlying as? JourneyError { return error.commandFailure }
        return sessionError?.commandFailure ?? CommandFailure(ExitStatus(self), description)
    }

    var sessionError: OAuthSessionError? { failure.underlying as? OAuthSessionError }
}

extension OAuthError: ReportableError {
    var commandFailure: CommandFailure { CommandFailure(.loginDenied, description) }
}

extension OAuthSessionError: ReportableError {
    var commandFailure: CommandFailure {
        switch self {
        case .network(let error): error.commandFailure
        case .refused(let error): error.commandFailure
        case .store(let error):
            CommandFailure(
                error.status,
                error.reason == .key ? "\(error): \(Self.keyAdvice)" : error.description
            )
        case .notLoggedIn, .expired, .ended, .responseLost, .otherClient: CommandFailure(.loginDenied, "\(self)")
        }
    }

    var sessionError: OAuthSessionError? { self }

    /// The advice for encrypted tokens if their key is missing or a different one.
    static let keyAdvice =
        "\(RecordStoreError.keyAdvice). If the key is lost, sallyport logout --local removes the tokens, for all computers that share them"
}

extension RecordStoreError: ReportableError {
    /// The failure of a file that a logout does not remove, such as the file of the passkeys.
    var commandFailure: CommandFailure {
        let advice =
            switch reason {
            case .key: ": \(Self.keyAdvice)"
            case .notEncrypted: ", or use it without SALLYPORT_STORE_KEY and SALLYPORT_STORE_KEY_FILE"
            default: ""
            }
        return CommandFailure(status, description + advice)
    }

    fileprivate var status: ExitStatus {
        switch reason {
        case .cannotWrite, .readOnly, .full, .accessLost: .writeError
        case .configuration: .usage
        case .timedOut: .timeout
        default: .unreadableInput
        }
    }

    fileprivate static let keyAdvice = "set SALLYPORT_STORE_KEY or SALLYPORT_STORE_KEY_FILE to the key"
}

extension JourneyError: ReportableError {
    var commandFailure: CommandFailure {
        switch self {
        case .network(let error): return error.commandFailure
        case .oauth(let error): return error.commandFailure
        case .tokens(let error): return error.commandFailure
        case .store(let error): return OAuthSessionError.store(error).commandFailure
        case .authenticator(let error): return error.commandFailure
        case .handler(let failure):
            if let error = failure.underlying as? any ReportableError { return error.commandFailure }
            return CommandFailure(.other, description)
        case .invalidConfiguration, .invalidAnswer, .missingAnswer, .policyViolation, .invalidLink:
            return CommandFailure(.usage, description)
        case .suspended, .foreignLink, .foreignRelyingParty, .notSignedIn, .otherServer, .failed:
            return CommandFailure(.loginDenied, description)
        case .invalidResponse: return CommandFailure(.weirdReply, description)
        case .alreadyAnswered, .outOfOrder: return CommandFailure(.other, description)
        }
    }

    var sessionError: OAuthSessionError? { if case .tokens(let error) = self { error } else { nil } }
}

extension MechanismError: ReportableError {
    var commandFailure: CommandFailure {
        switch reason {
        case .unsupportedURI, .missingParameter, .invalidParameter, .weakSecret, .insecureEndpoint, .unknownMechanism,
            .wrongNumber, .notPending:
            return CommandFailure(.usage, description)
        case .network, .cancelled, .store:
            if let error = failure.underlying as? RecordStoreError { return error.commandFailure }
            if let error = failure.underlying as? any ReportableError {
                return CommandFailure(error.commandFailure.status, description)
            }
            return CommandFailure(.other, description)
        case .refused, .invalidSignature, .expired, .replayed: return CommandFailure(.loginDenied, description)
        default: return CommandFailure(.other, description)
        }
    }
}

extension AuthenticatorError: ReportableError {
    var commandFailure: CommandFailure {
        if let error = failure.underlying as? any ReportableError { return error.commandFailure }
        switch reason {
        case .noCredential, .invalidPIN: return CommandFailure(.usage, description)
        case .wrongPIN, .blocked, .declined, .noPIN: return CommandFailure(.loginDenied, description)
        default: return CommandFailure(.other, description)
        }
    }
}

extension TransferError: ReportableError {
    /// The failure of a transfer that writes files.
    var commandFailure: CommandFailure { commandFailure(isWriting: true) }

    var sessionError: OAuthSessionError? {
        if case .network(let error) = reason { error.sessionError } else { nil }
    }

    /// Returns the failure of a transfer.
    ///
    /// - Parameter isWriting: `true` if the transfer writes files, `false` if it reads them.
    func commandFailure(isWriting: Bool) -> CommandFailure {
        switch reason {
        case .network(let error):
            // A file that cannot be read, for example.
            if let failure = error.failure.underlying as? CommandFailure { return failure }
            return CommandFailure(error.commandFailure.status, description)
        case .status(let response):
            let advice = response.status.kind == .redirection ? "; use -L to follow redirects" : ""
            return CommandFailure(
                .errorResponse,
                "\(response.request): the server answered \(response.statusSummary)\(advice)"
            )
        case .fileExists(let url):
            let choices = "--replace replaces it, --number keeps both files, and --skip-existing skips the download"
            return CommandFailure(.writeError, "\(url.path) already exists; \(choices)")
        case .file: return CommandFailure(isWriting ? .writeError : .unreadableInput, description)
        case .diskFull(let url):
            let failure = WriteFailure.fullDisk(url.path)
            let saved = resumableBytes > 0 ? "; it resumes from \(Format.size(resumableBytes))" : ""
            return CommandFailure(failure.status, failure.message + saved)
        case .inUse: return CommandFailure(.writeError, description)
        case .mismatch: return CommandFailure(.mismatch, description)
        }
    }
}

extension EventStreamError: ReportableError {
    var commandFailure: CommandFailure {
        switch reason {
        case .network(let error): error.commandFailure
        case .status: CommandFailure(.errorResponse, description)
        case .contentType: CommandFailure(.weirdReply, description)
        case .tooLarge: CommandFailure(.tooLarge, description)
        }
    }

    var sessionError: OAuthSessionError? {
        if case .network(let error) = reason { error.sessionError } else { nil }
    }
}

/// Returns the system's description of the error of the last system call.
func systemReason() -> String { String(cString: strerror(errno)) }
