/// Keeps a session of a client's own going: where others spend a refresh token, it asks for new tokens by its secret
/// (RFC 6749, section 4.4).
///
/// ```swift
/// let session = OAuthSession(refresher: ClientCredentialsRefresher(client), store: MemoryTokenStore())
/// try await session.save(try await client.clientCredentialsTokens())
/// ```
public struct ClientCredentialsRefresher: TokenRefresher {
    private let client: OAuthClient

    /// Makes a refresher.
    ///
    /// - Parameter client: A client with a secret or a key.
    public init(_ client: OAuthClient) {
        self.client = client
    }

    /// Asks for new tokens.
    ///
    /// - Throws: ``OAuthError``, `NetworkError`.
    public func refresh(_ tokens: OAuthTokens) async throws -> OAuthTokens {
        try await client.clientCredentialsTokens()
    }

    /// Always.
    public func canRefresh(_ tokens: OAuthTokens) -> Bool { true }

    /// Revokes tokens; see ``OAuthClient/revoke(_:)``.
    public func revoke(_ tokens: OAuthTokens) async throws { try await client.revoke(tokens) }
}
