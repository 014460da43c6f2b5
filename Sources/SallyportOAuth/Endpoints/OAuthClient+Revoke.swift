import Sallyport

/// Which kind of token is meant, as a hint for the server.
public enum TokenKind: String, Sendable {
    /// An access token.
    case accessToken = "access_token"
    /// A refresh token.
    case refreshToken = "refresh_token"
}

extension OAuthClient {
    /// Revokes the refresh token, or else the access token (RFC 7009). Most servers end both by that.
    ///
    /// - Throws: ``OAuthError``, ``NetworkError``. A token that the server does not know is no error.
    public func revoke(_ tokens: OAuthTokens) async throws {
        if let refreshToken = tokens.refreshToken {
            try await revoke(refreshToken, kind: .refreshToken)
        } else {
            try await revoke(tokens.accessToken, kind: .accessToken)
        }
    }

    /// Revokes one token (RFC 7009).
    ///
    /// - Throws: ``OAuthError``, ``NetworkError``. A token that the server does not know is no error.
    public func revoke(_ token: String, kind: TokenKind) async throws {
        let form = [("token", token), ("token_type_hint", kind.rawValue)]
        let answer = try await post(form, to: .revocation, .revokeToken)
        guard answer.status.isSuccess() else { throw answer.refusal(of: "to revoke the token") }
    }
}
