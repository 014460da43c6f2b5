import Sallyport

/// Brings new tokens for old ones; an ``OAuthClient`` does, by the refresh token.
public protocol TokenRefresher: Sendable {
    /// Brings new tokens. Where the server gives no new refresh token or scope, the old ones are in the answer.
    ///
    /// An ``OAuthSession`` calls it while nobody else who shares its store refreshes. It has to have a limit of time, as
    /// an `HttpClient` has.
    ///
    /// - Throws: ``OAuthError`` as the server said it (`invalid_grant` means that the session is over), or `NetworkError`.
    func refresh(_ tokens: OAuthTokens) async throws -> OAuthTokens

    /// Whether new tokens can be asked for at all; if there is a refresh token, unless implemented otherwise.
    func canRefresh(_ tokens: OAuthTokens) -> Bool

    /// Revokes tokens at the server (RFC 7009).
    ///
    /// An ``OAuthSession`` calls it at a logout, and for the tokens that a new login replaces. It has to return within a limited
    /// time. The default implementation throws an ``OAuthError``, as it cannot revoke tokens.
    ///
    /// - Throws: ``OAuthError`` if the server refuses to revoke the tokens, or `NetworkError`.
    func revoke(_ tokens: OAuthTokens) async throws
}

extension TokenRefresher {
    /// Whether there is a refresh token.
    public func canRefresh(_ tokens: OAuthTokens) -> Bool { tokens.refreshToken != nil }

    /// Throws an ``OAuthError``: the refresher cannot revoke tokens.
    public func revoke(_ tokens: OAuthTokens) async throws {
        throw OAuthError(failure: NetworkFailure("\(Self.self) does not implement the revocation of tokens"))
    }
}
