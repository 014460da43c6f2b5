import Sallyport

/// A source of new tokens for an ``OAuthSession``. An ``OAuthClient`` exchanges the refresh token for them.
public protocol TokenRefresher: Sendable {
    /// The client that tokens are issued to.
    ///
    /// An ``OAuthSession`` stores tokens with it, and passes only tokens of this client to ``refresh(_:)``. A refresher that
    /// wraps another returns the identity of that one.
    var identity: OAuthClientIdentity { get }

    /// Returns new tokens.
    ///
    /// An ``OAuthSession`` completes them with the previous refresh token, id_token, scope and proof key if they have none. It
    /// calls this while no other session refreshes the tokens of the same store. The call has to return within a limited
    /// time, as a call of an `HttpClient` does.
    ///
    /// - Throws: ``OAuthError`` with the server's error code (`invalid_grant` ends the session), or `NetworkError`. If the
    ///   response is refused, but contains a new refresh token, ``OAuthError/issuedRefreshToken`` has to contain it.
    func refresh(_ tokens: OAuthTokens) async throws -> OAuthTokens

    /// Requests the first tokens of a session that has none, or returns `nil` if somebody has to log in.
    ///
    /// An ``OAuthSession`` calls it if its store is empty, under the same conditions as ``refresh(_:)``. The default
    /// implementation returns `nil`. A refresher whose credentials are not those of a person, such as a
    /// ``ClientCredentialsRefresher``, implements it:
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
    /// An ``OAuthSession`` calls it at a logout, and for the tokens that a new login replaces. It has to return within a limited
    /// time. The default implementation throws an ``OAuthError``, as it cannot revoke tokens.
    ///
    /// - Throws: ``OAuthError`` if the server refuses to revoke the tokens, or `NetworkError`.
    func revoke(_ tokens: OAuthTokens) async throws
}

extension TokenRefresher {
    /// Returns `nil`: the first tokens are those of a login.
    public func requestFirstTokens() async throws -> OAuthTokens? { nil }

    /// Returns `true` if there is a refresh token.
    public func canRefresh(_ tokens: OAuthTokens) -> Bool { tokens.refreshToken != nil }

    /// Throws an ``OAuthError``: the refresher cannot revoke tokens.
    public func revoke(_ tokens: OAuthTokens) async throws {
        throw OAuthError(failure: NetworkFailure("\(Self.self) does not implement the revocation of tokens"))
    }
}
