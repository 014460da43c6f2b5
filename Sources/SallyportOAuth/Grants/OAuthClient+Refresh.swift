import Foundation
import Sallyport
import SallyportJOSE

extension OAuthClient: TokenRefresher {
    /// Brings new tokens by the refresh token (RFC 6749, section 6).
    ///
    /// What the answer does not have stays as it was: refresh token, scope, id_token. A new id_token has to be about the
    /// same person. It is left out if the server's keys cannot be read, or a clock is so wrong that it has ended or is yet
    /// to come: the old refresh token may be spent by then, and so the new one has to be kept.
    ///
    /// - Throws: ``OAuthError``, whose ``OAuthError/isInvalidGrant`` says that the person has to sign in again;
    ///   ``NetworkError``.
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
