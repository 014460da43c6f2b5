import Foundation
import Sallyport
import SallyportOAuth
import SallyportStorage

/// An error of a ``Journey``. Its description contains neither an answer of the user nor a token.
///
/// A tree that the user cannot complete is not an error but a ``JourneyStep/failure(_:)``.
///
/// ```swift
/// do {
///     step = try await node.next()
/// } catch JourneyError.missingAnswer(let failure) {
///     show(failure.reason)  // the node can still be answered
/// }
/// ```
public enum JourneyError: Error, Sendable {
    /// A setting is invalid. Nothing was sent.
    case invalidConfiguration(NetworkFailure)
    /// A value is not a possible answer to a callback. The previous answer remains.
    case invalidAnswer(NetworkFailure)
    /// A required answer is missing. Nothing was sent, and the node can still be answered.
    case missingAnswer(NetworkFailure)
    /// A value violates policies of the server. The previous answer remains.
    case policyViolation([PolicyViolation], NetworkFailure)
    /// The node has been answered, or its answer is being sent. Nothing was sent.
    case alreadyAnswered(NetworkFailure)
    /// The node precedes the one that was answered last. Nothing was sent.
    case outOfOrder(NetworkFailure)
    /// The tree is suspended: the user continues it with a link that the server has sent. Nothing was sent.
    case suspended(NetworkFailure)
    /// A URL is not the link of a suspended tree. Nothing was sent.
    case invalidLink(NetworkFailure)
    /// A link leads to another server than the configured one. Nothing was sent.
    case foreignLink(NetworkFailure)
    /// A passkey is requested for a server to which it must not be given. The authenticator was not called.
    case foreignRelyingParty(NetworkFailure)
    /// An authenticator could not answer a node, for example because the PIN was wrong. The node can be answered again.
    case authenticator(AuthenticatorError)
    /// The device or your own code could not answer a node.
    case handler(NetworkFailure)
    /// There is no session.
    case notSignedIn(NetworkFailure)
    /// The stored session belongs to another server. It remains in the store, and was not sent.
    case otherServer(NetworkFailure)
    /// The tree did not authenticate the user, where a session is required.
    case failed(JourneyFailure)
    /// The response of the server is neither a node, a success nor a failure, or exceeds a limit.
    case invalidResponse(NetworkFailure)
    /// A call failed on the network.
    case network(NetworkError)
    /// The server refused to issue tokens.
    case oauth(OAuthError)
    /// The tokens of the session could not be used or revoked.
    case tokens(OAuthSessionError)
    /// The session could not be read or stored.
    case store(RecordStoreError)
}

extension JourneyError {
    /// The reason and advice.
    public var failure: NetworkFailure {
        switch self {
        case .invalidConfiguration(let failure), .invalidAnswer(let failure), .missingAnswer(let failure),
            .policyViolation(_, let failure), .alreadyAnswered(let failure), .outOfOrder(let failure),
            .suspended(let failure), .invalidLink(let failure), .foreignLink(let failure),
            .foreignRelyingParty(let failure), .handler(let failure), .notSignedIn(let failure),
            .otherServer(let failure), .invalidResponse(let failure):
            failure
        case .failed(let failure): NetworkFailure(failure.description)
        case .authenticator(let error): error.failure
        case .network(let error): error.failure
        case .oauth(let error): error.failure
        case .tokens(let error): error.failure
        case .store(let error): NetworkFailure(error.description, underlying: error)
        }
    }

    /// The error that a call fails with if a step-up fails.
    var networkError: NetworkError {
        if case .network(let error) = self { return error }
        var failure = failure
        failure.underlying = self
        return .networkError(failure)
    }

    /// Wraps an error: the errors of this module and of those below it are cases of their own, and others become ``handler(_:)``. The text
    /// of another error is not repeated, because it may contain an answer.
    init(wrapping error: any Error, reason: String) {
        switch error {
        case let error as JourneyError: self = error
        case let error as NetworkError: self = .network(error)
        case let error as OAuthError: self = .oauth(error)
        case let error as OAuthSessionError: self = .tokens(error)
        case let error as RecordStoreError: self = .store(error)
        case let error as AuthenticatorError where error.reason != .cancelled: self = .authenticator(error)
        case let error as MechanismError where error.reason != .cancelled:
            self = .handler(NetworkFailure("\(reason): \(error)", underlying: error))
        case is CancellationError, is AuthenticatorError, is MechanismError:
            self = .network(.cancelled("the task was cancelled"))
        default: self = .handler(NetworkFailure("\(reason): \(type(of: error))", underlying: error))
        }
    }

    /// Creates the error of a store. The caller's own store may throw other types of errors.
    init(ofStore error: any Error) {
        switch error {
        case is JourneyError, is RecordStoreError, is OAuthSessionError, is OAuthError, is NetworkError,
            is CancellationError:
            self.init(wrapping: error, reason: "")
        default: self = .store(RecordStoreError(.cannotRead, "the session store failed: \(type(of: error))"))
        }
    }
}

extension JourneyError: CustomStringConvertible, CustomReflectable, LocalizedError {
    /// The reason and advice in one line.
    public var description: String {
        switch self {
        case .failed(let failure): failure.description
        case .oauth(let error): error.description
        default: failure.description
        }
    }

    /// The same as ``description``, for `localizedDescription`.
    public var errorDescription: String? { description }

    /// The same as ``description``, so that `dump` prints no secret either.
    public var customMirror: Mirror { Mirror(self, children: ["error": description], displayStyle: .enum) }
}
