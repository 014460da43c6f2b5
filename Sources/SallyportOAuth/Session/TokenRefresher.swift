import Sallyport

/// A source of new tokens for an ``OAuthSession``. An ``OAuthClient`` exchanges the refresh token for them.
public protocol TokenRefresher: Sendable {
    /// The client that tokens are issued to.
    ///
    /// An ``OAuthSession`` stores this identity with the tokens, and passes only tokens of this client to ``refresh(_:)``. A
    /// refresher that wraps another refresher returns that refresher's identity.
    var identity: OAuthClientIdentity { get }

    /// Returns new tokens.
    ///
    /// If the result has no refresh token, id_token, scope or proof key, an ``OAuthSession`` adds the previous one. It calls
    /// this method while no other session refreshes the tokens of the same store. The method must return within a limited
    /// time, as calls of an `HttpClient` do.
    ///
    /// - Throws: ``OAuthError`` with the server's error code (`invalid_grant` ends the session), or `NetworkError`. If the
    ///   response is refused but contains a new refresh token, set ``OAuthError/issuedRefreshToken``.
    func refresh(_ tokens: OAuthTokens) async throws -> OAuthTokens

    /// Requests the first tokens of a session that has none, or returns `nil` if a user must log in.
    ///
    /// An ``OAuthSession`` calls it if its store is empty, under the same conditions as ``refresh(_:)``. The default
    /// implementation returns `nil`. Implement it in a refresher that needs no user, such as a ``ClientCredentialsRefresher``:
    ///
    /// ```swift
    /// struct WorkloadRefresher: TokenRefresher {
    ///     let client: OAuthClient
    ///     var identity: OAuthClientIdentity { client.identity }
    ///
    ///     func requestFirstTokens() async throws -> OAuthTokens? {
    ///         try await client.exchange(TokenExchange(subjectToken: workloadToken())).tokens
    ///     }
    ///     func refresh(_ tokens: OAuthTokens) async throws -> OAuthTokens {
    ///         try await requestFirstTokens() ?? tokens
    ///     }
    ///     func canRefresh(_ tokens: OAuthTokens) -> Bool { true }
    /// }
    /// ```
    ///
    /// - Throws: ``OAuthError`` or `NetworkError`.
    func requestFirstTokens() async throws -> OAuthTokens?

    /// Returns a Boolean value that indicates whether ``refresh(_:)`` can return new tokens for the given ones.
    ///
    /// The default implementation requires a refresh token.
    func canRefresh(_ tokens: OAuthTokens) -> Bool

    /// Revokes tokens at the server (RFC 7009).
    ///
    /// An ``OAuthSession`` calls it at a logout, and for the tokens that a new login replaces. It must return within a limited
    /// time. The default implementation throws an ``OAuthError``.
    ///
    /// - Throws: ``OAuthError`` if the server refuses to revoke the tokens, or `NetworkError`.
    func revoke(_ tokens: OAuthTokens) async throws
}

extension TokenRefresher {
    /// Returns `nil`: a login provides the first tokens.
    public func requestFirstTokens() async throws -> OAuthTokens? { nil }

    /// Returns `true` if there is a refresh token.
    public func canRefresh(_ tokens: OAuthTokens) -> Bool { tokens.refreshToken != nil }

    /// Throws an ``OAuthError``: the refresher cannot revoke tokens.
    public func revoke(_ tokens: OAuthTokens) async throws {
        throw OAuthError(failure: NetworkFailure("\(Self.self) does not implement the revocation of tokens"))
    }
}
