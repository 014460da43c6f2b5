import Foundation
import Sallyport
import SallyportOAuth

extension ResourceError {
    /// Creates the error for a failed exchange, registration or authentication.
    ///
    /// - Parameters:
    ///   - error: The error of the identity.
    ///   - call: The kind of call.
    ///   - date: The date of this device.
    init(_ error: DeviceIdentityError, of call: ResourceCall, at date: Date) {
        if case .network(let error) = error {
            var failure = error.failure
            failure.underlying = error
            self.init(Self.reason(of: error), failure, of: call)
            return
        }
        if let failure = error.wrongDate(at: date) {
            self.init(.badDate, failure, of: call)
            return
        }
        var failure = error.failure
        failure.underlying = error
        self.init(Self.reason(of: error, call), failure, of: call)
    }

    /// Creates the error for a finding about the device.
    init(_ finding: IntegrityError) {
        let reason: Reason =
            switch finding {
            case .outdatedApp: .outdatedApp
            case .outdatedSystem: .outdatedSystem
            case .debuggerAttached, .deviceCompromised, .hooked, .undetermined: .deviceIntegrity
            }
        self.init(reason, NetworkFailure(finding.description, underlying: finding))
    }

    /// Returns the error with the kind of call that failed.
    func of(_ call: ResourceCall) -> ResourceError {
        var error = self
        error.call = call
        return error
    }

    /// Returns the error of a call that was cancelled.
    static func cancelled(_ call: ResourceCall) -> ResourceError {
        ResourceError(.cancelled, NetworkFailure("the call was cancelled"), of: call)
    }

    private static func reason(of error: DeviceIdentityError, _ call: ResourceCall) -> Reason {
        switch error {
        case .notRegistered: .deviceNotRegistered
        case .notValid: .deviceNotValid
        case .notAuthenticated: call.notAuthenticated ?? .unknown
        case .deregistered: .deviceDeregistered
        case .userNotRegistered: .userDeregistered
        case .outdatedApp: .outdatedApp
        case .outdatedSystem: .outdatedSystem
        case .invalidConfiguration: .invalidConfiguration
        case .refused(let refusal): refusal.status.map { $0 >= 500 } == true ? .serverUnreachable : .unknown
        case .network(let error): reason(of: error)
        case .store(let error): error.needsReplacement ? .unrecoverable : .unknown
        case .key: .unrecoverable
        case .signIn: .userNotAuthenticated
        }
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
}

extension DeviceIdentityError {
    /// Returns the failure of a request if the server refused its credentials while the date of this device was wrong; `nil` for other
    /// errors.
    ///
    /// Assertions and proofs of the device are valid for a minute.
    fileprivate func wrongDate(at date: Date) -> NetworkFailure? {
        let refusal: OAuthError
        switch self {
        case .notValid(let error), .refused(let error): refusal = error
        default: return nil
        }
        guard let code = refusal.error, ["invalid_client", "invalid_dpop_proof"].contains(code),
            let difference = refusal.serverDate.map({ date.timeIntervalSince($0) }), abs(difference) > 60
        else { return nil }
        let distance = "\(Int(min(abs(difference), 1e9))) seconds \(difference > 0 ? "ahead of" : "behind")"
        return NetworkFailure(
            "the server refused the credentials of the device, whose clock is \(distance) the server's",
            request: refusal.failure.request,
            advice: "set the date of the device",
            underlying: self
        )
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
