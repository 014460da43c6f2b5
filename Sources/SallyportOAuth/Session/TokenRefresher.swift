/// Brings new tokens for old ones; an ``OAuthClient`` does, by the refresh token.
public protocol TokenRefresher: Sendable {
    /// Brings new tokens. Where the server gives no new refresh token or scope, the old ones are in the answer.
    ///
    /// - Throws: ``OAuthError`` as the server said it (`invalid_grant` means that the session is over), or ``NetworkError``.
    func refresh(_ tokens: OAuthTokens) async throws -> OAuthTokens
}
