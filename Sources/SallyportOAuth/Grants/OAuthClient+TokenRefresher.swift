import Foundation
import Sallyport
import SallyportJOSE

extension OAuthClient: TokenRefresher {
    /// Requests new tokens with the refresh token (RFC 6749, section 6).
    ///
    /// The result contains the previous refresh token, scope and id_token if the response has no new ones. A new
    /// id_token must have the same subject. It is ignored if the server's keys cannot be read, or if it has expired or
    /// is not valid yet, because a clock may be wrong.
    ///
    /// - Throws: ``OAuthError``, `NetworkError`. If ``OAuthError/isInvalidGrant`` is `true`, the user must sign in again.
    ///   If ``OAuthError/issuedRefreshToken`` is not `nil`, the server has replaced the refresh token, although the rest of
    ///   its response was refused, for example because of an id_token for another user. Use that refresh token from now on.
    public func refresh(_ tokens: OAuthTokens) async throws -> OAuthTokens {
        guard let refreshToken = tokens.refreshToken else {
            throw OAuthError(failure: NetworkFailure("there is no refresh token", advice: "sign in again"))
        }
        let form =
            definedFields([
                ("grant_type", "refresh_token"), ("refresh_token", refreshToken), ("scope", tokens.scope),
            ]) + configuration.resources.map { ("resource", $0) }
        let (refreshed, _) = try await requestTokens(
            form,
            .refreshToken,
            scope: tokens.scope,
            proofKey: tokens.proofKey,
            expecting: try expectations(after: tokens.idToken)
        )
        return refreshed.completed(from: tokens)
    }
}

/// The kind of a token, sent as a hint to the server (`token_type_hint`; RFC 7009, section 2.1).
public enum TokenKind: String, Sendable {
    /// An access token.
    case accessToken = "access_token"
    /// A refresh token.
    case refreshToken = "refresh_token"
}

extension OAuthClient {
    /// Revokes the refresh token, if there is one, and then the access token (RFC 7009). On some servers the access token
    /// remains valid when only the refresh token is revoked.
    ///
    /// ```swift
    /// try await client.revoke(tokens)
    /// ```
    ///
    /// - Throws: ``OAuthError`` if the server refuses, for example because the client is public; ``NetworkError``. A token that
    ///   is unknown to the server is not an error.
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
    /// - Throws: ``OAuthError`` if the server refuses, ``NetworkError``. A token that is unknown to the server is not an error.
    public func revoke(_ token: String, kind: TokenKind) async throws {
        let form = [("token", token), ("token_type_hint", kind.rawValue)]
        let response = try await post(form, to: .revocation, .revokeToken)
        try response.checkSuccess(of: "the revocation of the token")
    }
}
