import Foundation
import Sallyport

/// Why a session has no token to give. It shows no token.
///
/// ``isLoggedOut`` tells whether the user has to log in again; otherwise the session goes on, and asking later may help.
public enum OAuthSessionError: Error, Sendable {
    /// Nobody has logged in, or somebody has logged out.
    case notLoggedIn(NetworkFailure)
    /// The access token has ended, and there is no way to a new one.
    case expired(NetworkFailure)
    /// The server no longer knows the session (`invalid_grant`); its tokens are forgotten.
    case ended(OAuthError, NetworkFailure)
    /// The server no longer knows the session, and it is known why: its answer to an earlier refresh never came to the
    /// store, as the process ended or the network failed. The tokens are forgotten.
    case answerLost(OAuthError, NetworkFailure)
    /// The server refused the refresh for another reason; the session is kept.
    case refused(OAuthError)
    /// The refresh failed on the way; the session is kept.
    case network(NetworkError)
    /// The tokens could not be read or kept.
    case store(TokenStoreError)
    /// The tokens in the store were issued to another client or by another issuer, as after a login elsewhere with the same
    /// store. They stay there, and none of them has been sent.
    case otherClient(issuedTo: OAuthClientIdentity, expected: OAuthClientIdentity)
}

extension OAuthSessionError {
    /// A Boolean value that indicates whether the user has to log in again.
    public var isLoggedOut: Bool {
        switch self {
        case .notLoggedIn, .expired, .ended, .answerLost, .otherClient: true
        case .store(let error): error.needsLogin
        case .refused, .network: false
        }
    }

    /// The failure in the words of a call.
    public var failure: NetworkFailure {
        switch self {
        case .notLoggedIn(let failure), .expired(let failure), .ended(_, let failure), .answerLost(_, let failure):
            failure
        case .refused(let error): error.failure
        case .network(let error): error.failure
        case .store(let error): NetworkFailure(error.description, underlying: error)
        case .otherClient(let owner, let expected):
            NetworkFailure(
                "the tokens in the store belong to the client \(owner), and this session is one of the client \(expected); "
                    + "nothing was sent",
                advice: "log in again"
            )
        }
    }

    /// What a call fails with that cannot be given a token.
    var networkError: NetworkError {
        if case .network(let error) = self { return error }
        var failure = failure
        failure.underlying = self
        return .networkError(failure)
    }

    static let nobody = OAuthSessionError.notLoggedIn(
        NetworkFailure("there are no tokens: nobody is logged in", advice: "log in")
    )

    static let cancelled = OAuthSessionError.network(.cancelled("the task was cancelled"))

    static let withinRefresh = OAuthSessionError.network(
        .invalidRequest(
            NetworkFailure(
                "the call that refreshes the tokens asks for these tokens",
                advice: "have the refresher and the interceptors of its client do without them"
            )
        )
    )

    static let endOfTokens = OAuthSessionError.expired(
        NetworkFailure("the access token has ended, and there is no refresh token", advice: "log in again")
    )

    /// - Parameter began: When an earlier refresh began whose answer never came.
    static func ended(_ error: OAuthError, answerLostAt began: Date?) -> OAuthSessionError {
        guard let began else {
            return .ended(
                error,
                NetworkFailure("the server has ended the session (invalid_grant)", advice: "log in again")
            )
        }
        let reason =
            "the server no longer honours the tokens (invalid_grant): its answer to a refresh that began at \(began) "
            + "never reached the store, as the process or the connection ended before"
        return .answerLost(error, NetworkFailure(reason, advice: "log in again"))
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
    /// The failure in one sentence.
    public var description: String { failure.description }

    /// The same as ``description``, so that `localizedDescription` says it too.
    public var errorDescription: String? { description }

    /// The same as ``description``, without the server's body.
    public var customMirror: Mirror { Mirror(self, children: ["error": description], displayStyle: .enum) }
}
