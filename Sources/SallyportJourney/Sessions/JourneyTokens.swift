import Sallyport
import SallyportOAuth

/// Obtains tokens with the session of a journey, and refreshes and revokes them with the OAuth client.
struct JourneyTokens: TokenRefresher {
    let client: OAuthClient
    let sessions: JourneySessions
    let cookieName: String

    var identity: OAuthClientIdentity { client.identity }

    /// Returns tokens for the session; `nil` if there is none.
    ///
    /// - Parameter parameters: Further parameters of the authorization request.
    func requestTokens(parameters: [String: String] = [:]) async throws -> OAuthTokens? {
        guard let session = try await sessions.current() else { return nil }
        let credential = SessionCredential.header(name: cookieName, value: session.token)
        return try await client.tokens(authorizedBy: credential, parameters: parameters)
    }

    func requestFirstTokens() async throws -> OAuthTokens? { try await requestTokens() }

    /// Refreshes tokens. Those without a refresh token are replaced by new ones for the session.
    func refresh(_ tokens: OAuthTokens) async throws -> OAuthTokens {
        if tokens.refreshToken != nil { return try await client.refresh(tokens) }
        if let tokens = try await requestTokens() { return tokens }
        throw OAuthError(
            error: "invalid_grant",
            failure: NetworkFailure("there is neither a refresh token nor a session", advice: "sign in again")
        )
    }

    func canRefresh(_ tokens: OAuthTokens) -> Bool { true }

    func revoke(_ tokens: OAuthTokens) async throws { try await client.revoke(tokens) }
}
