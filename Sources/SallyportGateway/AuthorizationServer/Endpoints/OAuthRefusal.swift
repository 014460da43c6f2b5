/// An error response of the authorization server (RFC 6749, sections 4.1.2.1 and 5.2). It contains no secret.
struct OAuthRefusal: Error, Equatable {
    /// An error code.
    enum Code: String, Sendable {
        case invalidRequest = "invalid_request"
        case invalidClient = "invalid_client"
        case invalidGrant = "invalid_grant"
        case unauthorizedClient = "unauthorized_client"
        case unsupportedGrantType = "unsupported_grant_type"
        case unsupportedResponseType = "unsupported_response_type"
        case invalidScope = "invalid_scope"
        case invalidTarget = "invalid_target"
        case accessDenied = "access_denied"
        case serverError = "server_error"
        case temporarilyUnavailable = "temporarily_unavailable"
        // OpenID Connect Core, section 3.1.2.6
        case loginRequired = "login_required"
        case consentRequired = "consent_required"
        case requestNotSupported = "request_not_supported"
        case requestURINotSupported = "request_uri_not_supported"
        case invalidRequestURI = "invalid_request_uri"
        // OpenID Connect Core Error Code unmet_authentication_requirements 1.0
        case unmetAuthenticationRequirements = "unmet_authentication_requirements"
        // RFC 8628, section 3.5
        case authorizationPending = "authorization_pending"
        case slowDown = "slow_down"
        case expiredToken = "expired_token"
        // RFC 9449
        case invalidProof = "invalid_dpop_proof"
        case useNonce = "use_dpop_nonce"
        // RFC 6750, section 3.1
        case invalidToken = "invalid_token"
        case insufficientScope = "insufficient_scope"
        // RFC 9470, section 3
        case insufficientUserAuthentication = "insufficient_user_authentication"
        // RFC 7591, section 3.2.2
        case invalidRedirectURI = "invalid_redirect_uri"
        case invalidClientMetadata = "invalid_client_metadata"
        case invalidSoftwareStatement = "invalid_software_statement"
        case unapprovedSoftwareStatement = "unapproved_software_statement"
        // Docs/resource-server.md
        case outdatedApp = "outdated_app"
        case outdatedSystem = "outdated_os"
        case notFound = "not_found"
    }

    let code: Code
    let description: String
    /// Further members of the error response, such as `reason`.
    let members: [String: String]

    init(_ code: Code, _ description: String, members: [String: String] = [:]) {
        self.code = code
        self.description = description
        self.members = members
    }

    /// The status code of the response.
    var status: Int {
        switch code {
        case .invalidClient, .invalidToken, .insufficientUserAuthentication: 401
        case .insufficientScope: 403
        case .notFound: 404
        case .serverError: 500
        case .temporarilyUnavailable: 503
        default: 400
        }
    }

    /// The parameters of a challenge that describe the error (RFC 6750, section 3).
    var challengeParameters: String { "error=\"\(code.rawValue)\", error_description=\"\(description)\"" }

    /// Returns the challenge for a Bearer token (RFC 6750, section 3).
    ///
    /// - Parameters:
    ///   - scope: The scope that the resource needs.
    ///   - hasToken: A Boolean value that indicates whether the request had a token. The challenge contains the error only then.
    func bearerChallenge(scope: String, hasToken: Bool) -> String {
        let challenge = "Bearer realm=\"sallyport\", scope=\"\(scope)\""
        return hasToken ? "\(challenge), \(challengeParameters)" : challenge
    }
}
