import Sallyport

/// Exchanges tokens for new ones. An ``OAuthClient`` does so with the refresh token.
public protocol TokenRefresher: Sendable {
    /// The client that tokens are issued to.
    ///
    /// An ``OAuthSession`` stores tokens with it, and passes only tokens of this client to ``refresh(_:)``. A refresher that
    /// wraps another returns the identity of that one.
    var identity: OAuthClientIdentity { get }

    /// Returns new tokens. If the server issues no new refresh token or scope, the result contains the previous ones.
    ///
    /// An ``OAuthSession`` calls it while no other session refreshes the tokens of the same store. It has to return within
    /// a limited time, as a call of an `HttpClient` does.
    ///
    /// - Throws: ``OAuthError`` with the server's error code (`invalid_grant` ends the session), or `NetworkError`. If the
    ///   response is refused, but contains a new refresh token, the error has it in ``OAuthError/issuedRefreshToken``.
    func refresh(_ tokens: OAuthTokens) async throws -> OAuthTokens

    /// Returns a Boolean value that indicates whether ``refresh(_:)`` can return new tokens for the given ones. The default
    /// implementation requires a refresh token.
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
    /// Returns `true` if there is a refresh token.
    public func canRefresh(_ tokens: OAuthTokens) -> Bool { tokens.refreshToken != nil }

    /// Throws an ``OAuthError``: the refresher cannot revoke tokens.
    public func revoke(_ tokens: OAuthTokens) async throws {
        throw OAuthError(failure: NetworkFailure("\(Self.self) does not implement the revocation of tokens"))
    }
}
