import Foundation
import Sallyport
import SallyportJOSE

extension OAuthClient: TokenRefresher {
    /// Returns new tokens for the refresh token (RFC 6749, section 6).
    ///
    /// Refresh token, scope and id_token stay the same if the response has no new ones. A new id_token has to have the same
    /// subject. It is left out if the server's keys cannot be read, or if it has expired or is not yet valid because a clock
    /// is wrong.
    ///
    /// - Throws: ``OAuthError``, `NetworkError`. If ``OAuthError/isInvalidGrant`` is `true`, the person has to sign in again.
    ///   If ``OAuthError/issuedRefreshToken`` is not `nil`, the server has replaced the refresh token, although the rest of
    ///   its response, such as an id_token of another person, was refused: keep that refresh token.
    public func refresh(_ tokens: OAuthTokens) async throws -> OAuthTokens {
        guard let refreshToken = tokens.refreshToken else {
            throw OAuthError(failure: NetworkFailure("there is no refresh token", advice: "sign in again"))
        }
        let form =
            fields([
                ("grant_type", "refresh_token"), ("refresh_token", refreshToken), ("scope", tokens.scope),
            ]) + configuration.resources.map { ("resource", $0) }
        var (renewed, _) = try await askForTokens(
            form,
            .refreshToken,
            scope: tokens.scope,
            proofKey: tokens.proofKey,
            expecting: IdTokenExpectations(
                subject: try tokens.idToken.flatMap(subject(of:)),
                isDispensable: true
            )
        )
        renewed.refreshToken = renewed.refreshToken ?? refreshToken
        renewed.idToken = renewed.idToken ?? tokens.idToken
        return renewed
    }
}
