import Foundation
import Sallyport
import SallyportStorage

/// An error of push authentication or one-time passwords. It contains no secret, password, challenge or token.
///
/// ```swift
/// do {
///     try await push.approve(message)
/// } catch where error.reason == .expired {
///     print("Sign in again, and approve the new message.")
/// }
/// ```
public struct MechanismError: Error, Sendable {
    /// The kind of a failure.
    public enum Reason: Sendable, Equatable {
        /// The text is not a URI that enrolls a mechanism, or one of another type.
        case unsupportedURI
        /// The URI lacks a parameter. The associated value is its name.
        case missingParameter(String)
        /// A parameter has an invalid value or occurs twice. The associated value is its name.
        case invalidParameter(String)
        /// The secret in the URI has less than 128 bits, so that a search can find it.
        case weakSecret
        /// The URI contains an endpoint to which secrets must not be sent. The associated value is the name of the parameter.
        case insecureEndpoint(String)
        /// The store contains the maximum number of mechanisms or messages.
        case full
        /// The store contains no such mechanism.
        case unknownMechanism
        /// A push message does not have the expected form.
        case malformedMessage
        /// A push message is not signed with the secret of its mechanism.
        case invalidSignature
        /// A push message is older than its lifetime.
        case expired
        /// A push message is from the future, so that its age cannot be checked.
        case notYetValid
        /// A push message was received before.
        case replayed
        /// A push message has been answered already, or was never received.
        case notPending
        /// A push message requires one of its numbers to be approved, and another one or none was given, or it requires none.
        case wrongNumber
        /// The counter of a one-time password has its maximum.
        case counterExhausted
        /// The server refused the request.
        case refused
        /// The request failed on the network.
        case network
        /// The store failed.
        case store
        /// The store contains the mechanisms of another owner.
        case otherOwner
        /// The task was cancelled.
        case cancelled
    }

    /// The kind of the failure.
    public let reason: Reason
    /// A description of the failure, with advice. Its underlying error is a `NetworkError` or a `RecordStoreError` if there is one.
    public let failure: NetworkFailure
    /// The status of the response, if the server refused the request.
    public let status: Int?

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - reason: The kind of the failure.
    ///   - failure: A description of the failure.
    ///   - status: The status of the response, if the server refused the request.
    public init(_ reason: Reason, _ failure: NetworkFailure, status: Int? = nil) {
        self.reason = reason
        self.failure = failure
        self.status = status
    }
}

extension MechanismError {
    /// The minimum length of a secret in bytes (RFC 4226, section 4, R6).
    private static let minimumSecret = 16

    /// Throws an error for a secret that a search can find with one message, answer or some passwords, and without the server.
    static func checkStrength(of secret: Data) throws(MechanismError) {
        guard secret.count < minimumSecret else { return }
        throw MechanismError(
            .weakSecret,
            "the secret in the URI has \(secret.count * 8) bits, and the minimum is \(minimumSecret * 8)",
            advice:
                "ask the server's operator to issue longer secrets: 256 bits for push messages, 160 for one-time passwords"
        )
    }

    /// Creates an error from a sentence and advice.
    init(_ reason: Reason, _ text: String, advice: String? = nil) {
        self.init(reason, NetworkFailure(text, advice: advice))
    }

    /// Creates the error for a request that failed on the network or was cancelled.
    init(_ error: NetworkError) {
        var failure = error.failure
        failure.underlying = error
        if case .cancelled = error { self.init(.cancelled, failure) } else { self.init(.network, failure) }
    }

    /// Creates the error for a store that failed, or returns the error of a change of its content.
    init(ofStore error: any Error) {
        switch error {
        case let error as MechanismError: self = error
        case let error as RecordStoreError:
            self.init(.store, NetworkFailure(error.description, underlying: error))
        case let error as OtherOwner:
            self.init(
                .otherOwner,
                "the mechanisms in the store belong to another owner",
                advice: "use the store of \(error.expected)"
            )
        case is CancellationError: self.init(.cancelled, "the task was cancelled")
        default: self.init(.store, "the store of the mechanisms failed: \(type(of: error))")
        }
    }

    /// A Boolean value that indicates whether the server may have processed the request despite the error.
    var mayHaveSucceeded: Bool {
        switch reason {
        case .network, .cancelled: (failure.underlying as? NetworkError)?.mayHaveReachedServer ?? false
        case .refused: status.map { $0 >= 500 } ?? false
        default: false
        }
    }
}

extension MechanismError: CustomStringConvertible, CustomReflectable, LocalizedError {
    /// The failure in one line, with advice.
    public var description: String { failure.description }

    /// The same as ``description``, for `localizedDescription`.
    public var errorDescription: String? { description }

    /// The same as ``description``, without the underlying error.
    public var customMirror: Mirror { Mirror(self, children: ["error": description], displayStyle: .struct) }
}
