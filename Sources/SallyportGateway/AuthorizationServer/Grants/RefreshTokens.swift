import Foundation
import SallyportJOSE

/// Issues and rotates refresh tokens, and revokes the grant if a token is used twice.
final class RefreshTokens {
    /// A refresh token. It remains in the table after its use, so that a second use is detected.
    private struct Token: Sendable {
        let grant: Grant
        let issuedAt: Date
        let end: Date
        /// The thumbprint of the key that it is bound to.
        let proofKey: String?
        var isSpent = false
    }

    /// The response to a refresh, which is repeated if the client has not received it.
    private struct RepeatableResponse: Sendable {
        let grant: Grant
        let members: [String: JsonValue]
        /// The refresh token in the response.
        let successor: SecretHash
        /// The scope in the request.
        let scope: String?
        /// The thumbprint of the key that the request proved.
        let proofKey: String?
    }

    private let context: ServerContext
    private let grants: GrantTable
    private let issuer: TokenIssuer
    private var tokens = ExpiringTable<SecretHash, Token>(limit: 131_072) { $1.grant.owner }
    /// The responses that may be repeated, by the refresh tokens that were spent for them.
    private var responses = ExpiringTable<SecretHash, RepeatableResponse>(limit: 4096) { $1.grant.owner }

    init(_ context: ServerContext, grants: GrantTable, issuer: TokenIssuer) {
        self.context = context
        self.grants = grants
        self.issuer = issuer
    }

    /// Returns a new refresh token, bound to a key if there is one.
    func issue(for grant: Grant, proofKey: String?) -> String {
        let text = Secret.random()
        insert(text, grant, proofKey: proofKey)
        return text
    }

    /// Issues new tokens for a refresh token (RFC 6749, section 6).
    ///
    /// With rotation the refresh token is spent. Within ``GatewayLifetimes/refreshTokenReuse`` a second use gets the same
    /// response again; any other second use ends the grant.
    nonisolated(nonsending) func refresh(_ request: TokenRequest) async throws(OAuthRefusal) -> [String: JsonValue] {
        let old = SecretHash(try request.parameters.require("refresh_token"))
        let token = try token(old, of: request)
        if token.isSpent { return try repeatedResponse(to: old, of: token.grant, request) }
        guard token.proofKey == nil || token.proofKey == request.proofKey else {
            throw OAuthRefusal(.invalidProof, "The refresh token is bound to a key that the request does not prove.")
        }
        let scopes = try request.scopes(among: token.grant.scopes, default: token.grant.scopes)
        guard context.configuration.rotatesRefreshTokens else {
            let end = context.now + context.lifetimes.refreshToken
            tokens.extend(old, until: end)
            grants.extend(token.grant, until: end)
            return try await issuer.response(token.grant, request, scopes: scopes)
        }
        let next = Secret.random()
        let response = try await issuer.response(token.grant, request, scopes: scopes, refreshToken: next)
        // Signing suspends: meanwhile another request may have used the token, or the grant may have been revoked.
        if try self.token(old, of: request).isSpent {
            return try repeatedResponse(to: old, of: token.grant, request)
        }
        tokens.update(old, now: context.now) { $0.isSpent = true }
        insert(next, token.grant, proofKey: token.proofKey)
        if context.lifetimes.refreshTokenReuse > 0 {
            let repeatable = RepeatableResponse(
                grant: token.grant,
                members: response,
                successor: SecretHash(next),
                scope: request.parameters["scope"],
                proofKey: request.proofKey
            )
            let now = context.now
            responses.removeExpired(now: now)
            responses.insert(repeatable, for: old, until: now + context.lifetimes.refreshTokenReuse, now: now)
        }
        return response
    }

    /// Returns the introspection response for an active refresh token, or `nil` (RFC 7662).
    func introspection(_ text: String) -> [String: JsonValue]? {
        guard let token = tokens.value(for: SecretHash(text), now: context.now), !token.isSpent,
            grants.isActive(token.grant)
        else { return nil }
        var claims: [String: JsonValue] = [
            "active": true,
            "iss": .string(context.issuer + token.grant.issuerPath),
            "sub": .string(token.grant.subject),
            "client_id": .string(token.grant.clientID),
            "scope": .string(token.grant.scopes.joined(separator: " ")),
            "iat": .seconds(token.issuedAt),
            "exp": .seconds(token.end),
        ]
        claims["username"] = token.grant.username.map { .string($0) }
        claims["cnf"] = token.proofKey.map { ["jkt": .string($0)] }
        return claims
    }

    /// Revokes the grant of a refresh token, unless the token is unknown (RFC 7009).
    func revoke(_ text: String, by client: GatewayClient) throws(OAuthRefusal) {
        guard let token = tokens.value(for: SecretHash(text), now: context.now) else { return }
        guard token.grant.clientID == client.id else { throw OAuthRefusal.tokenOfAnotherClient }
        grants.revoke(token.grant)
    }

    /// Returns the previous response for a used refresh token, if the request is the same and the reuse interval has not
    /// ended. Otherwise revokes the grant.
    private func repeatedResponse(
        to old: SecretHash,
        of grant: Grant,
        _ request: TokenRequest
    ) throws(OAuthRefusal) -> [String: JsonValue] {
        guard let response = responses.value(for: old, now: context.now), response.proofKey == request.proofKey,
            response.scope == request.parameters["scope"]
        else {
            grants.revoke(grant)
            throw OAuthRefusal(.invalidGrant, "The refresh token was used before. All tokens of its grant are revoked.")
        }
        // The client has received the response and used its token: this may be a delayed request, so the grant is not revoked.
        guard tokens.value(for: response.successor, now: context.now)?.isSpent == false else {
            throw OAuthRefusal(.invalidGrant, "The refresh token was used before, and so was the one that replaced it.")
        }
        return response.members
    }

    private func token(_ hash: SecretHash, of request: TokenRequest) throws(OAuthRefusal) -> Token {
        guard let token = tokens.value(for: hash, now: context.now), token.grant.clientID == request.client.id,
            token.grant.issuerPath == request.issuerPath, grants.isActive(token.grant)
        else {
            throw OAuthRefusal(
                .invalidGrant,
                "The refresh token is unknown, has expired or been revoked, or belongs to another client or issuer."
            )
        }
        return token
    }

    private func insert(_ text: String, _ grant: Grant, proofKey: String?) {
        let now = context.now
        let end = now + context.lifetimes.refreshToken
        let token = Token(grant: grant, issuedAt: now, end: end, proofKey: proofKey)
        tokens.insert(token, for: SecretHash(text), until: end, now: now)
        grants.extend(grant, until: end)
    }
}
