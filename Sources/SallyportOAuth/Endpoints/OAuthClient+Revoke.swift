import Sallyport

/// The kind of a token, which is a hint for the server (RFC 7009, section 2.1).
public enum TokenKind: String, Sendable {
    /// An access token.
    case accessToken = "access_token"
    /// A refresh token.
    case refreshToken = "refresh_token"
}

extension OAuthClient {
    /// Revokes the refresh token, if there is one, and then the access token, which some servers keep valid without it (RFC
    /// 7009).
    ///
    /// ```swift
    /// try await client.revoke(tokens)
    /// ```
    ///
    /// - Throws: ``OAuthError`` if the server refuses, as some servers refuse public clients; ``NetworkError``. A token that the
    ///   server does not know is not an error.
    public func revoke(_ tokens: OAuthTokens) async throws {
        guard let refreshToken = tokens.refreshToken else {
            return try await revoke(tokens.accessToken, kind: .accessToken)
        }
        try await revoke(refreshToken, kind: .refreshToken)
        do {
            try await revoke(tokens.accessToken, kind: .accessToken)
        } catch let error as OAuthError where error.error == "unsupported_token_type" {
            // The server revokes refresh tokens only (RFC 7009, section 2.2.1).
        }
    }

    /// Revokes one token (RFC 7009).
    ///
    /// - Throws: ``OAuthError`` if the server refuses, ``NetworkError``. A token that the server does not know is not an error.
    public func revoke(_ token: String, kind: TokenKind) async throws {
        let form = [("token", token), ("token_type_hint", kind.rawValue)]
        let answer = try await post(form, to: .revocation, .revokeToken)
        guard answer.status.isSuccess() else { throw answer.refusal(of: "to revoke the token") }
    }
}
