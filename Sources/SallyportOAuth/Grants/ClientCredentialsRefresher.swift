import Sallyport

/// A refresher that obtains tokens with the client's own credentials instead of a refresh token (RFC 6749, section 4.4).
///
/// A session with this refresher needs no login: it obtains its first tokens when a call needs them, even after a logout.
///
/// ```swift
/// let refresher = ClientCredentialsRefresher(client, scopes: ["reports"])
/// let session = OAuthSession(refresher: refresher, store: MemoryTokenStore())
/// let api = httpClient.authorized(by: session, for: "https://api.example.com")
/// ```
public struct ClientCredentialsRefresher: TokenRefresher {
    private let client: OAuthClient
    private let scopes: [String]?

    /// Creates a refresher.
    ///
    /// - Parameters:
    ///   - client: A client with a secret or a key.
    ///   - scopes: The scopes to request; by default the scopes of the tokens to replace, and for the first tokens the scopes
    ///     of the client's configuration, without `openid`.
    public init(_ client: OAuthClient, scopes: [String]? = nil) {
        self.client = client
        self.scopes = scopes
    }

    /// The identity of the client.
    public var identity: OAuthClientIdentity { client.identity }

    /// Requests the first tokens.
    ///
    /// - Throws: ``OAuthError``, `NetworkError`.
    public func requestFirstTokens() async throws -> OAuthTokens? {
        try await client.clientCredentialsTokens(scopes: scopes)
    }

    /// Requests new tokens, with the scopes of the previous ones unless this refresher has its own.
    ///
    /// - Throws: ``OAuthError``, `NetworkError`.
    public func refresh(_ tokens: OAuthTokens) async throws -> OAuthTokens {
        try await client.clientCredentialsTokens(scopes: scopes ?? tokens.scopes)
    }

    /// Returns `true`: no refresh token is needed.
    public func canRefresh(_ tokens: OAuthTokens) -> Bool { true }

    /// Revokes tokens; see ``OAuthClient/revoke(_:)``.
    public func revoke(_ tokens: OAuthTokens) async throws { try await client.revoke(tokens) }
}

extension OAuthClient {
    /// Requests an access token with the client's own credentials (RFC 6749, section 4.4).
    ///
    /// - Parameter scopes: The scopes to request; by default the scopes of the configuration, without `openid`, which requires
    ///   a user.
    /// - Throws: ``OAuthError``, ``NetworkError``.
    public func clientCredentialsTokens(scopes: [String]? = nil) async throws -> OAuthTokens {
        let scope = scope(scopes ?? configuration.scopes.filter { $0 != "openid" })
        let form = definedFields([("grant_type", "client_credentials"), ("scope", scope)]) + targetParameters
        return try await requestTokens(form, .clientCredentials, scope: scope, proofKey: newProofKey()).tokens
    }
}
