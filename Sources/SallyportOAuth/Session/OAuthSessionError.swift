import Foundation
import Sallyport

/// An error of a session that cannot provide tokens. Its description contains no token.
///
/// If ``isLoggedOut`` is `true`, the user must log in again. Otherwise the session continues, and a later attempt may
/// succeed.
public enum OAuthSessionError: Error, Sendable {
    /// There are no tokens: there was no login, or none since the last logout.
    case notLoggedIn(NetworkFailure)
    /// The access token has expired, and it cannot be refreshed.
    case expired(NetworkFailure)
    /// The server has ended the session (`invalid_grant`). The tokens have been removed.
    case ended(OAuthError, NetworkFailure)
    /// The server no longer accepts the refresh token (``OAuthError/isInvalidGrant``), and its response to an earlier refresh was
    /// never stored, because the process ended or the network failed. The tokens have been removed if the server stated the error
    /// code `invalid_grant`. Otherwise they are still stored, because a proxy may have sent the response.
    case responseLost(OAuthError, NetworkFailure)
    /// The server refused the refresh for another reason. The tokens are still stored.
    case refused(OAuthError)
    /// The refresh failed on the network. The tokens are still stored.
    case network(NetworkError)
    /// The tokens could not be read or stored.
    case store(TokenStoreError)
    /// The tokens in the store were issued to another client or by another issuer, for example because a different client uses
    /// the same store. They remain there, and none of them has been sent.
    case otherClient(issuedTo: OAuthClientIdentity, expected: OAuthClientIdentity)
}

extension OAuthSessionError {
    /// A Boolean value that indicates whether the user must log in again.
    public var isLoggedOut: Bool {
        switch self {
        case .notLoggedIn, .expired, .ended, .responseLost, .otherClient: true
        case .store(let error): error.needsReplacement
        case .refused, .network: false
        }
    }

    /// The reason and advice.
    public var failure: NetworkFailure {
        switch self {
        case .notLoggedIn(let failure), .expired(let failure), .ended(_, let failure), .responseLost(_, let failure):
            failure
        case .refused(let error): error.failure
        case .network(let error): error.failure
        case .store(let error): NetworkFailure(error.description, underlying: error)
        case .otherClient(let owner, let expected):
            NetworkFailure(
                "the tokens in the store belong to the client \(owner), but this session uses the client \(expected); "
                    + "nothing was sent",
                advice: "log in again"
            )
        }
    }

    /// A Boolean value that indicates whether the problem is a database that is unavailable at the moment, and not the stored content.
    var isStoreUnavailable: Bool {
        guard case .store(let error) = self else { return false }
        switch error.reason {
        case .configuration, .unreachable, .timedOut, .readOnly, .full, .notPermitted, .schema: return true
        default: return false
        }
    }

    /// `true` if another attempt to use the store would fail like this one.
    var isPermanent: Bool {
        guard case .store(let error) = self else { return true }
        return [.configuration, .notPermitted, .schema, .readOnly, .key, .notEncrypted, .outdated].contains(
            error.reason
        )
    }

    /// The error that a call fails with if it cannot get a token.
    var networkError: NetworkError {
        if case .network(let error) = self { return error }
        var failure = failure
        failure.underlying = self
        return .networkError(failure)
    }

    static let noTokens = OAuthSessionError.notLoggedIn(
        NetworkFailure("there are no tokens: nobody is logged in", advice: "log in")
    )

    static let cancelled = OAuthSessionError.network(.cancelled("the task was cancelled"))

    static let withinRefresh = OAuthSessionError.network(
        .invalidRequest(
            NetworkFailure(
                "the refresh of the tokens requires these tokens",
                advice: "do not use the session's tokens in the refresher or in the interceptors of its client"
            )
        )
    )

    static let noRefreshToken = OAuthSessionError.expired(
        NetworkFailure("the access token has expired, and there is no refresh token", advice: "log in again")
    )

    /// Returns the error for a session that the server has ended.
    ///
    /// - Parameter began: The start of an earlier refresh, if its response was never stored.
    static func ended(_ error: OAuthError, responseLostAt began: Date?) -> OAuthSessionError {
        guard let began else {
            return .ended(
                error,
                NetworkFailure("the server has ended the session (invalid_grant)", advice: "log in again")
            )
        }
        let refusal = error.error ?? "status 400 without an error code"
        let reason =
            "the server no longer accepts the tokens (\(refusal)): its response to a refresh that began at \(began) "
            + "was never stored, because the process ended or the connection failed"
        return .responseLost(error, NetworkFailure(reason, advice: "log in again"))
    }

    init(ofStore error: any Error) {
        switch error {
        case let error as TokenStoreError: self = .store(error)
        case is CancellationError: self = .cancelled
        default: self = .store(TokenStoreError(.cannotRead, "the token store failed: \(type(of: error))"))
        }
    }
}

extension OAuthSessionError: CustomStringConvertible, CustomReflectable, LocalizedError {
    /// The reason and advice in one sentence.
    public var description: String { failure.description }

    /// The same as ``description``, for `localizedDescription`.
    public var errorDescription: String? { description }

    /// The same as ``description``, without the server's body.
    public var customMirror: Mirror { Mirror(self, children: ["error": description], displayStyle: .enum) }
}
