import Foundation
import SallyportJOSE

extension AuthorizationServer {
    /// Says what a token is (RFC 7662), to clients that authenticate. Of one that is not good it says only that.
    func introspect(_ request: GatewayEndpointRequest) async throws(OAuthRefusal) -> [String: JsonValue] {
        let client = try await authenticate(request)
        guard !client.isPublic else {
            throw OAuthRefusal(.invalidClient, "Only a client that authenticates can ask what a token is.")
        }
        let text = try request.parameters.require("token")
        if let token = activeToken(text) {
            var claims = token.claims(issuer: issuer)
            claims["active"] = true
            claims["token_type"] = token.proofKey == nil ? "Bearer" : "DPoP"
            claims["username"] = token.grant.username.map { .string($0) }
            return claims
        }
        if let token = refreshTokens.value(for: SecretHash(text), now: now()), !token.isSpent, isActive(token.grant) {
            var claims: [String: JsonValue] = [
                "active": true,
                "iss": .string(issuer),
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
        return ["active": false]
    }

    /// Ends a token (RFC 7009): an access token alone, a refresh token with its whole grant. One that is not known is no error.
    func revoke(_ request: GatewayEndpointRequest) async throws(OAuthRefusal) {
        let client = try await authenticate(request)
        let hash = SecretHash(try request.parameters.require("token"))
        if let token = accessTokens.value(for: hash, now: now()) {
            try check(token.clientID, is: client)
            accessTokens.remove(hash)
        } else if let token = refreshTokens.value(for: hash, now: now()) {
            try check(token.grant.clientID, is: client)
            revoke(token.grant)
        }
    }

    private func check(_ id: String, is client: GatewayClient) throws(OAuthRefusal) {
        guard id == client.id else { throw OAuthRefusal(.invalidGrant, "The token is another client's.") }
    }
}
