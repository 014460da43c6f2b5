import Sallyport
import SallyportOAuth

/// Obtains tokens with the session of a journey, and refreshes and revokes them with the OAuth client.
struct JourneyTokens: TokenRefresher {
    let client: OAuthClient
    let sessions: JourneySessions
    let cookieName: String

    var identity: OAuthClientIdentity { client.identity }

    /// Requests tokens for a session.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - parameters: Further parameters of the authorization request.
    func requestTokens(for session: JourneySession, parameters: [String: String] = [:]) async throws -> OAuthTokens {
        let credential = SessionCredential.header(name: cookieName, value: session.token)
        return try await client.tokens(authorizedBy: credential, parameters: parameters)
    }

    /// Requests the first tokens. Returns `nil` if there is no session, or if the server has ended it.
    func requestFirstTokens() async throws -> OAuthTokens? {
        guard let session = try await sessions.activate() else { return nil }
        do {
            return try await requestTokens(for: session)
        } catch let error as OAuthError where error.requiresSignIn {
            return nil
        }
    }

    /// Refreshes tokens. Those without a refresh token are replaced by new ones for the session.
    func refresh(_ tokens: OAuthTokens) async throws -> OAuthTokens {
        if tokens.refreshToken != nil { return try await client.refresh(tokens) }
        if let tokens = try await requestFirstTokens() { return tokens }
        throw OAuthError(
            error: "invalid_grant",
            failure: NetworkFailure("there is neither a refresh token nor a session", advice: "sign in again")
        )
    }

    func canRefresh(_ tokens: OAuthTokens) -> Bool { true }

    func revoke(_ tokens: OAuthTokens) async throws { try await client.revoke(tokens) }
}

extension OAuthError {
    /// `true` if the server has ended the session, or the user must sign in or consent first.
    fileprivate var requiresSignIn: Bool { showsPage || ["login_required", "interaction_required"].contains(error) }
}
