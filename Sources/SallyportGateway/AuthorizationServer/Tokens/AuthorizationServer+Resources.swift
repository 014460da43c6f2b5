import Foundation
import SallyportJOSE

extension AuthorizationServer {
    /// Finds the token that a call to a resource carries (RFC 6750, section 2.1; RFC 9449, section 7), if it is good for it.
    func authorize(_ request: GatewayEndpointRequest, scope: String) async throws(OAuthRefusal) -> AccessToken {
        let bearer = request.credentials("bearer")
        guard let text = bearer ?? request.credentials("dpop") else {
            throw OAuthRefusal(.invalidToken, "The call needs an access token.")
        }
        guard text.utf8.count <= 16_384, let token = activeToken(text), token.audience.contains(issuer) else {
            throw OAuthRefusal(.invalidToken, "The access token has ended, is revoked, or is not for this resource.")
        }
        if let key = token.proofKey {
            guard bearer == nil else {
                throw OAuthRefusal(
                    .invalidToken,
                    "The access token is bound to a key: it is sent as DPoP, with a proof."
                )
            }
            guard let proved = try await proofKey(of: request, by: token.clientID, accessToken: text) else {
                throw OAuthRefusal(
                    .invalidProof,
                    "The call needs a proof of the key that the access token is bound to."
                )
            }
            guard proved == key else {
                throw OAuthRefusal(.invalidToken, "The access token is bound to another key than the proof's.")
            }
        } else if bearer == nil {
            throw OAuthRefusal(.invalidToken, "The access token is not bound to a key: it is sent as Bearer.")
        }
        guard token.scopes.contains(scope) else {
            throw OAuthRefusal(.insufficientScope, "The access token is not for the scope \(scope).")
        }
        return token
    }

    /// Says who the token's owner is (OpenID Connect Core, section 5.3).
    func userInfo(_ request: GatewayEndpointRequest) async throws(OAuthRefusal) -> UserInfoResponse {
        let token = try await authorize(request, scope: "openid")
        guard let username = token.grant.username, let user = users[username] else {
            throw OAuthRefusal(.invalidToken, "The access token is not a person's.")
        }
        var claims = user.claims(for: token.scopes)
        claims["sub"] = .string(token.grant.subject)
        guard let algorithm = client(token.clientID)?.metadata.userInfoSignature else { return .plain(claims) }
        claims["iss"] = .string(issuer)
        claims["aud"] = .string(token.clientID)
        return .signed(try await sign(claims, header: ["typ": "JWT"], by: algorithm))
    }

    /// Gives the protected resource to who may have it, and counts it.
    func protectedResource(_ request: GatewayEndpointRequest) async throws(OAuthRefusal) -> [String: JsonValue] {
        let token = try await authorize(request, scope: "api")
        statistics.protectedCalls += 1
        var answer: [String: JsonValue] = [
            "message": "The door is open.",
            "subject": .string(token.grant.subject),
            "client_id": .string(token.clientID),
            "scope": .string(token.scopes.joined(separator: " ")),
            "token_type": token.proofKey == nil ? "Bearer" : "DPoP",
        ]
        answer["username"] = token.grant.username.map { .string($0) }
        return answer
    }
}

/// What is said of a person: as JSON, or signed.
enum UserInfoResponse: Sendable {
    case plain([String: JsonValue])
    case signed(String)
}
