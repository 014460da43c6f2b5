import Foundation
import SallyportJOSE

extension AuthorizationServer {
    /// Makes an access token (RFC 9068), which is also known by its hash, so that it can be revoked.
    func makeAccessToken(
        _ grant: Grant,
        for client: GatewayClient,
        scopes: [String],
        audience: [String] = [],
        proofKey: String?,
        actor: JsonValue? = nil,
        exchangedFor subject: AccessToken? = nil
    ) async throws(OAuthRefusal) -> String {
        let time = now()
        let end = min(time + configuration.lifetimes.accessToken, subject?.end ?? .distantFuture)
        let token = AccessToken(
            id: Secret.randomName(),
            grant: grant,
            clientID: client.id,
            scopes: scopes,
            audience: audience.isEmpty ? [issuer] : audience,
            isExchanged: subject != nil,
            issuedAt: time,
            end: end,
            proofKey: proofKey
        )
        var claims = token.claims(issuer: issuer)
        claims["act"] = actor
        let text = try await sign(claims, header: ["typ": "at+jwt"])
        accessTokens.insert(token, for: SecretHash(text), until: end, now: time)
        return text
    }

    /// The access token, if it is one that is still good.
    func activeToken(_ text: String) -> AccessToken? {
        guard let token = accessTokens.value(for: SecretHash(text), now: now()), isActive(token.grant) else {
            return nil
        }
        return token
    }

    /// Whether nobody has revoked a grant.
    func isActive(_ grant: Grant) -> Bool {
        grants.value(for: grant.id, now: now()) != nil
    }

    /// Ends a grant, and all tokens with it.
    func revoke(_ grant: Grant) {
        grants.remove(grant.id)
    }
}

extension AccessToken {
    /// What the token says of itself.
    func claims(issuer: String) -> [String: JsonValue] {
        var claims: [String: JsonValue] = [
            "iss": .string(issuer),
            "sub": .string(grant.subject),
            "aud": audience.count == 1 ? .string(audience[0]) : .array(audience.map { .string($0) }),
            "client_id": .string(clientID),
            "scope": .string(scopes.joined(separator: " ")),
            "iat": .seconds(issuedAt),
            "exp": .seconds(end),
            "jti": .string(id),
        ]
        claims["auth_time"] = grant.authenticatedAt.map { .seconds($0) }
        claims["cnf"] = proofKey.map { ["jkt": .string($0)] }
        return claims
    }
}

extension JsonValue {
    /// A moment as tokens have it: whole seconds since 1970.
    static func seconds(_ date: Date) -> JsonValue {
        .integer(Int64(date.timeIntervalSince1970))
    }
}
