import Sallyport
import SallyportOAuth

extension ResourceError {
    /// Creates the error for a failed exchange.
    ///
    /// - Parameters:
    ///   - error: The error of the client.
    ///   - call: The kind of call.
    init(_ error: NetworkError, of call: ResourceCall?) {
        if let inner = error.failure.underlying as? ResourceError {
            self = inner
            self.call = call
            return
        }
        if let session = error.failure.underlying as? OAuthSessionError {
            self.init(session, of: call)
            return
        }
        var failure = error.failure
        failure.underlying = failure.underlying ?? error
        self.init(Self.reason(of: error), failure, of: call)
    }

    /// Creates the error for a session that provides no tokens.
    init(_ error: OAuthSessionError, of call: ResourceCall?) {
        var failure = error.failure
        failure.underlying = error
        switch error {
        case .network(let error): self.init(error, of: call)
        case .refused(let refusal): self.init(Self.reason(of: refusal), failure, of: call)
        case .store(let problem) where problem.needsReplacement: self.init(.unrecoverable, failure, of: call)
        case .store: self.init(.unknown, failure, of: call)
        case .ended, .expired, .notLoggedIn, .otherClient, .responseLost:
            self.init(call?.notAuthenticated ?? .unknown, failure, of: call)
        }
    }

    private static func reason(of refusal: OAuthError) -> Reason {
        if refusal.isInvalidClient { return .deviceDeregistered }
        return refusal.status.map { $0 >= 500 } == true ? .serverUnreachable : .unknown
    }

    private static func reason(of error: NetworkError) -> Reason {
        switch error {
        case .invalidRequest: .invalidRequest
        case .networkUnavailable: .noConnectivity
        case .hostNotFound, .connectionFailed, .timeout: .serverUnreachable
        case .certificateRefused, .pinMismatch: .certificateRefused
        case .tlsFailed: .tlsFailed
        case .connectionLost, .incompleteBody: .connectionLost
        case .invalidResponse, .undecodableBody, .responseTooLarge, .tooManyRedirects: .invalidResponse
        case .cancelled: .cancelled
        case .clientClosed, .networkError: .unknown
        }
    }

    /// The error of a call that was cancelled.
    static func cancelled(_ call: ResourceCall?) -> ResourceError {
        ResourceError(.cancelled, NetworkFailure("the call was cancelled"), of: call)
    }
}

extension ResourceCall {
    /// The reason of the failure of a call without the token that it needs; `nil` if it needs none.
    var notAuthenticated: ResourceError.Reason? {
        switch self {
        case .authenticated: .userNotAuthenticated
        case .implicit: .userNotImplicitlyAuthenticated
        case .anonymous: .deviceNotAuthenticated
        case .unauthenticated: nil
        }
    }
}
