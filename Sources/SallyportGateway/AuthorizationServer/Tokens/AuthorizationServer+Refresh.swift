import Foundation
import SallyportJOSE

extension AuthorizationServer {
    /// Issues a refresh token, bound to a key if its client is public (RFC 9449, section 5).
    func makeRefreshToken(_ grant: Grant, proofKey: String?) -> String {
        let text = Secret.random()
        insertRefreshToken(text, grant, proofKey: proofKey)
        return text
    }

    /// Issues new tokens for a refresh token (RFC 6749, section 6).
    ///
    /// With rotation the refresh token is spent. Within ``GatewayLifetimes/refreshTokenReuse`` a second use gets the same
    /// response again; any other second use ends the grant.
    func refresh(_ call: TokenCall) async throws(OAuthRefusal) -> [String: JsonValue] {
        let old = SecretHash(try call.parameters.require("refresh_token"))
        let token = try refreshToken(old, of: call.client)
        if token.isSpent { return try repeatedResponse(to: old, of: token.grant, call) }
        guard token.proofKey == nil || token.proofKey == call.proofKey else {
            throw OAuthRefusal(.invalidProof, "The refresh token is bound to a key that the request does not prove.")
        }
        let scopes = try call.scopes(among: token.grant.scopes, default: token.grant.scopes)
        guard configuration.rotatesRefreshTokens else {
            let end = now() + configuration.lifetimes.refreshToken
            refreshTokens.extend(old, until: end)
            grants.extend(token.grant.id, until: max(end, now() + configuration.lifetimes.accessToken))
            return try await tokens(token.grant, call, scopes: scopes, refreshToken: nil)
        }
        let next = Secret.random()
        let response = try await tokens(token.grant, call, scopes: scopes, refreshToken: next)
        // Signing suspends: another request with the same token may have been answered, or the grant revoked, meanwhile.
        if try refreshToken(old, of: call.client).isSpent {
            return try repeatedResponse(to: old, of: token.grant, call)
        }
        refreshTokens.update(old, now: now()) { $0.isSpent = true }
        insertRefreshToken(next, token.grant, proofKey: token.proofKey)
        if configuration.lifetimes.refreshTokenReuse > 0 {
            let kept = RefreshResponse(
                grant: token.grant,
                members: response,
                successor: SecretHash(next),
                scope: call.parameters["scope"],
                proofKey: call.proofKey
            )
            let end = now() + configuration.lifetimes.refreshTokenReuse
            refreshResponses.removeExpired(now: now())
            refreshResponses.insert(kept, for: old, until: end, now: now())
        }
        return response
    }

    /// Returns the response that was given for a spent refresh token, if the request is the same and the reuse interval
    /// has not ended. Otherwise the grant is revoked.
    private func repeatedResponse(
        to old: SecretHash,
        of grant: Grant,
        _ call: TokenCall
    ) throws(OAuthRefusal) -> [String: JsonValue] {
        guard let kept = refreshResponses.value(for: old, now: now()), kept.proofKey == call.proofKey,
            kept.scope == call.parameters["scope"]
        else {
            revoke(grant)
            throw OAuthRefusal(
                .invalidGrant,
                "The refresh token was used before; all that came of its grant is revoked."
            )
        }
        // A delayed request of a client that has received the response is no reason to end the grant.
        guard refreshTokens.value(for: kept.successor, now: now())?.isSpent == false else {
            throw OAuthRefusal(.invalidGrant, "The refresh token was used before, and so was the one that replaced it.")
        }
        return kept.members
    }

    private func refreshToken(_ hash: SecretHash, of client: GatewayClient) throws(OAuthRefusal) -> RefreshToken {
        guard let token = refreshTokens.value(for: hash, now: now()), token.grant.clientID == client.id,
            isActive(token.grant)
        else {
            throw OAuthRefusal(.invalidGrant, "The refresh token is not known, has ended, or is another client's.")
        }
        return token
    }

    private func insertRefreshToken(_ text: String, _ grant: Grant, proofKey: String?) {
        let time = now()
        let end = time + configuration.lifetimes.refreshToken
        let token = RefreshToken(grant: grant, issuedAt: time, end: end, proofKey: proofKey)
        refreshTokens.insert(token, for: SecretHash(text), until: end, now: time)
        grants.extend(grant.id, until: max(end, time + configuration.lifetimes.accessToken))
    }
}
