import SallyportTransport

/// The reason why a call with payload encryption failed.
///
/// It is the underlying error of the ``NetworkError`` that the call throws:
///
/// ```swift
/// do {
///     let response = try await client.request { $0.url = "https://api.example.com/accounts" }
/// } catch {
///     if case .notEncrypted? = error.failure.underlying as? PayloadEncryptionError { … }
/// }
/// ```
public enum PayloadEncryptionError: Error, Sendable, Equatable {
    /// The server's public key cannot be used, for the given reason.
    case invalidKey(String)
    /// The request contains something that cannot be encrypted. Nothing was sent.
    case unsupportedRequest(String)
    /// The server has refused to open a session, with a status and one of the codes of `Docs/payload-encryption.md`, if it sent one.
    case handshakeRefused(status: Int, code: String?)
    /// The response of the handshake is not from a server with the private key.
    case handshakeNotAuthentic
    /// The response refuses the encrypted request, with a status and a code. It is not encrypted, so it may be from another computer, which
    /// may have passed the request to the server.
    case refused(status: Int, code: String)
    /// The response says that the server does not have the session any more. It is not encrypted, so it may be from another computer, which
    /// may have passed the request to the server.
    ///
    /// The request was not sent again, because it may change something and the server may have executed it. The next request opens a new
    /// session.
    case sessionEnded
    /// The response is not encrypted. Its body was discarded.
    case notEncrypted(status: Int)
    /// The response does not belong to the request, or it was changed. Its body was discarded.
    case notAuthentic
    /// The server redirects to another server, such as `https://files.example.com`, to which requests are sent unencrypted. Nothing
    /// was sent there.
    case redirected(to: String)
}

extension PayloadEncryptionError: CustomStringConvertible {
    /// The reason in a clause.
    public var description: String {
        switch self {
        case .invalidKey(let reason): "the server's key for payload encryption cannot be used: \(reason)"
        case .unsupportedRequest(let reason): reason
        case .handshakeRefused(let status, let code):
            "the server has refused the handshake of payload encryption with status \(status)"
                + (code.map { " (\(VisibleText.line($0, longest: 40)))" } ?? "")
        case .handshakeNotAuthentic:
            "the response to the handshake of payload encryption is not from a server with the expected key"
        case .refused(let status, let code):
            "a response that is not encrypted refuses the request with status \(status) "
                + "(\(VisibleText.line(code, longest: 40)))"
        case .sessionEnded:
            "a response that is not encrypted says that the server no longer has the session of payload encryption"
        case .notEncrypted(let status): "the response with status \(status) is not encrypted"
        case .notAuthentic: "the encrypted response was changed, is incomplete, or belongs to another request"
        case .redirected(let origin):
            "the server redirects to \(VisibleText.line(origin, longest: 200)), to which requests are not encrypted"
        }
    }

    /// A Boolean value that indicates whether the request may succeed with another counter, or in another session.
    var allowsAnotherAttempt: Bool {
        switch self {
        case .sessionEnded: true
        case .refused(_, let code): code == PayloadRefusal.replayed.rawValue
        default: false
        }
    }

    /// The error that a call throws.
    var networkError: NetworkError {
        switch self {
        case .invalidKey, .unsupportedRequest: .invalidRequest(failure())
        case .handshakeRefused(_, "unknown_key"?):
            .invalidResponse(
                failure(
                    .head,
                    "check the server's public key in the configuration: the server does not have its private key, or "
                        + "not any more"
                )
            )
        case .handshakeRefused:
            .invalidResponse(
                failure(.head, "check the URL of the handshake (payloadHandshakeURL in the configuration)")
            )
        case .handshakeNotAuthentic:
            .invalidResponse(
                failure(
                    .head,
                    "check the server's public key in the configuration, and whether a proxy answers instead"
                )
            )
        case .sessionEnded, .refused(_, PayloadRefusal.replayed.rawValue):
            .invalidResponse(
                failure(
                    .head,
                    "check at the server whether the request was executed before you send it again, "
                        + "or give requests an Idempotency-Key"
                )
            )
        case .refused:
            .invalidResponse(
                failure(.head, "check whether a proxy changes requests, and see Docs/payload-encryption.md")
            )
        case .notEncrypted:
            .invalidResponse(
                failure(
                    .head,
                    "check whether a proxy answers instead of the server, and whether the server requires encryption"
                )
            )
        case .notAuthentic: .invalidResponse(failure(.body, "check whether a proxy changes responses"))
        case .redirected:
            .invalidResponse(
                failure(.head, "correct the redirect at the server, or add the other server to the encrypted ones")
            )
        }
    }

    private func failure(_ phase: ExchangePhase? = nil, _ advice: String? = nil) -> NetworkFailure {
        NetworkFailure(description, phase: phase, advice: advice, underlying: self)
    }
}

/// The reason why a server refuses a handshake or an encrypted request: the value of `Payload-Encryption-Error`.
package enum PayloadRefusal: String, Error, Sendable, CaseIterable {
    /// The server does not have the key of the handshake.
    case unknownKey = "unknown_key"
    /// The handshake is malformed, or was encrypted with another key.
    case invalidHandshake = "invalid_handshake"
    /// The resource accepts only encrypted requests.
    case encryptionRequired = "encryption_required"
    /// The server has no such session, for example because it was restarted.
    case unknownSession = "unknown_session"
    /// The request was changed, or is malformed.
    case invalidMessage = "invalid_message"
    /// The counter of the request was used before, or is too old.
    case replayed = "replayed"
}
