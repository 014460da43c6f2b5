import Foundation
import SallyportJOSE

extension AuthorizationServer {
    /// Makes a refresh token, bound to a key where its client is public (RFC 9449, section 5).
    func makeRefreshToken(_ grant: Grant, proofKey: String?) -> String {
        let text = Secret.random()
        let time = now()
        let end = time + configuration.lifetimes.refreshToken
        let token = RefreshToken(grant: grant, issuedAt: time, end: end, proofKey: proofKey)
        refreshTokens.insert(token, for: SecretHash(text), until: end, now: time)
        grants.extend(grant.id, until: max(end, time + configuration.lifetimes.accessToken))
        return text
    }

    /// Gives new tokens for a refresh token (RFC 6749, section 6). With rotation it is spent, and a second use ends the grant.
    func refresh(_ call: TokenCall) async throws(OAuthRefusal) -> [String: JsonValue] {
        let old = SecretHash(try call.parameters.require("refresh_token"))
        guard let token = refreshTokens.value(for: old, now: now()), token.grant.clientID == call.client.id,
            isActive(token.grant)
        else {
            throw OAuthRefusal(.invalidGrant, "The refresh token is not known, has ended, or is another client's.")
        }
        guard !token.isSpent else {
            revoke(token.grant)
            throw OAuthRefusal(
                .invalidGrant,
                "The refresh token was used before; all that came of its grant is revoked."
            )
        }
        guard token.proofKey == nil || token.proofKey == call.proofKey else {
            throw OAuthRefusal(.invalidProof, "The refresh token is bound to a key that the request does not prove.")
        }
        let scopes = try call.scopes(among: token.grant.scopes, default: token.grant.scopes)
        var next: String?
        if configuration.rotatesRefreshTokens {
            refreshTokens.update(old, now: now()) { $0.isSpent = true }
            next = makeRefreshToken(token.grant, proofKey: token.proofKey)
        } else {
            let end = now() + configuration.lifetimes.refreshToken
            refreshTokens.extend(old, until: end)
            grants.extend(token.grant.id, until: max(end, now() + configuration.lifetimes.accessToken))
        }
        return try await tokens(token.grant, call, scopes: scopes, refreshToken: next)
    }
}
