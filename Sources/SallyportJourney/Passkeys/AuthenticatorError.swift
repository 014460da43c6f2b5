import Foundation
import Sallyport
import SallyportStorage

/// An error of a ``SoftwareAuthenticator`` that the user can correct. It contains no PIN and no part of a key.
///
/// A refusal that the server receives, for example because the user declined, is a ``PasskeyError`` or a ``DeviceKeyError`` instead.
///
/// ```swift
/// do {
///     try await node.answerPasskey(with: authenticator)
/// } catch JourneyError.authenticator(let error) {
///     if case .wrongPIN(let attemptsLeft) = error.reason { print("Wrong PIN. Attempts left: \(attemptsLeft)") }
/// }
/// ```
public struct AuthenticatorError: Error, Sendable {
    /// The kind of a failure.
    public enum Reason: Sendable, Equatable {
        /// The server's request is invalid, for example because its challenge is too short.
        case invalidRequest
        /// The request is for a relying party that the server's origin does not belong to.
        case otherOrigin
        /// The origin is plain http to another computer.
        case insecureOrigin
        /// The server accepts none of the supported algorithms, or requires a kind of authenticator that this is not.
        case unsupported
        /// The user has a passkey that the server excludes.
        case alreadyRegistered
        /// There is no passkey or device key that the server accepts.
        case noCredential
        /// The server requires the verification of the user, and the authenticator has no PIN.
        case noPIN
        /// The PIN is wrong. The associated value is the number of attempts that are left.
        case wrongPIN(attemptsLeft: Int)
        /// The PIN was wrong too often. Only a reset of the authenticator is possible.
        case blocked
        /// A new PIN is too short or too long.
        case invalidPIN
        /// The user declined, or did not enter a PIN.
        case declined
        /// The user did not answer in time.
        case timeout
        /// The ``AuthenticatorUser`` could not ask the user.
        case noUser
        /// The authenticator contains the maximum number of keys.
        case full
        /// The signature counter of a passkey has its maximum.
        case counterExhausted
        /// The store failed.
        case store
        /// The store contains the keys of another owner.
        case otherOwner
        /// The task was cancelled.
        case cancelled
    }

    /// The kind of the failure.
    public let reason: Reason
    /// A description of the failure, with advice.
    public let failure: NetworkFailure

    /// Creates an error.
    public init(_ reason: Reason, _ failure: NetworkFailure) {
        self.reason = reason
        self.failure = failure
    }
}

extension AuthenticatorError {
    /// Creates an error from a sentence and advice.
    init(_ reason: Reason, _ text: String, advice: String? = nil) {
        self.init(reason, NetworkFailure(text, advice: advice))
    }

    /// Creates the error for a store or a question to the user that failed, or returns an error of the authenticator.
    init(wrapping error: any Error) {
        switch error {
        case let error as AuthenticatorError: self = error
        case let error as RecordStoreError: self.init(.store, NetworkFailure(error.description, underlying: error))
        case let error as OtherOwner:
            self.init(
                .otherOwner,
                "the passkeys in the store belong to another owner",
                advice: "use the store of \(error.expected)"
            )
        case is CancellationError: self.init(.cancelled, "the task was cancelled")
        default:
            self.init(
                .noUser,
                NetworkFailure("the user could not be asked: \(type(of: error))", underlying: error)
            )
        }
    }

    /// The error to send to the server if a passkey could not be created or used; `nil` if the user can correct the problem.
    var passkeyError: PasskeyError? {
        switch reason {
        case .declined, .timeout, .noCredential: .notAllowed
        case .alreadyRegistered: .invalidState
        case .unsupported: .notSupported
        default: nil
        }
    }

    /// The error to send to the server if a device key could not be created or used; `nil` if the user can correct the problem.
    var deviceKeyError: DeviceKeyError? {
        switch reason {
        case .declined: .aborted
        case .timeout: .timedOut
        case .noCredential: .notRegistered
        case .unsupported: .unsupported
        default: nil
        }
    }
}

extension AuthenticatorError: CustomStringConvertible, CustomReflectable, LocalizedError {
    /// The failure in one line, with advice.
    public var description: String { failure.description }

    /// The same as ``description``, for `localizedDescription`.
    public var errorDescription: String? { description }

    /// The same as ``description``, without the underlying error.
    public var customMirror: Mirror { Mirror(self, children: ["error": description], displayStyle: .struct) }
}
