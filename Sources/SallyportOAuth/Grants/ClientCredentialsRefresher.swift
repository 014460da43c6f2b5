import Sallyport

/// Obtains new tokens with the client's own credentials instead of a refresh token (RFC 6749, section 4.4).
///
/// ```swift
/// let session = OAuthSession(refresher: ClientCredentialsRefresher(client), store: MemoryTokenStore())
/// try await session.save(try await client.clientCredentialsTokens())
/// ```
public struct ClientCredentialsRefresher: TokenRefresher {
    private let client: OAuthClient

    /// Creates a refresher.
    ///
    /// - Parameter client: A client with a secret or a key.
    public init(_ client: OAuthClient) {
        self.client = client
    }

    /// The identity of the client.
    public var identity: OAuthClientIdentity { client.identity }

    /// Requests new tokens.
    ///
    /// - Throws: ``OAuthError``, `NetworkError`.
    public func refresh(_ tokens: OAuthTokens) async throws -> OAuthTokens {
        try await client.clientCredentialsTokens()
    }

    /// Returns `true`: no refresh token is needed.
    public func canRefresh(_ tokens: OAuthTokens) -> Bool { true }

    /// Revokes tokens; see ``OAuthClient/revoke(_:)``.
    public func revoke(_ tokens: OAuthTokens) async throws { try await client.revoke(tokens) }
}

extension OAuthClient {
    /// Requests an access token for the client itself (RFC 6749, section 4.4).
    ///
    /// - Parameter scopes: The scopes to request; by default those of the configuration, without `openid`, which requires a
    ///   person.
    /// - Throws: ``OAuthError``, ``NetworkError``.
    public func clientCredentialsTokens(scopes: [String]? = nil) async throws -> OAuthTokens {
        let scope = scope(scopes ?? configuration.scopes.filter { $0 != "openid" })
        let form = fields([("grant_type", "client_credentials"), ("scope", scope)]) + targetParameters
        return try await requestTokens(form, .clientCredentials, scope: scope, proofKey: newProofKey()).tokens
    }
}
