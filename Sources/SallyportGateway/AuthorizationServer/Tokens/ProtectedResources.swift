import Foundation
import SallyportJOSE

/// Authorizes requests for the resources of this server by their access tokens, and returns the resources.
final class ProtectedResources {
    private let context: ServerContext
    private let clients: ClientRegistry
    private let accounts: UserAccounts
    private let issuer: TokenIssuer
    private let signer: TokenSigner
    private let proofs: ProofChecker

    init(
        _ context: ServerContext,
        clients: ClientRegistry,
        accounts: UserAccounts,
        issuer: TokenIssuer,
        signer: TokenSigner,
        proofs: ProofChecker
    ) {
        self.context = context
        self.clients = clients
        self.accounts = accounts
        self.issuer = issuer
        self.signer = signer
        self.proofs = proofs
    }

    /// Returns the access token of a request, if it is valid and has a scope (RFC 6750, section 2.1; RFC 9449, section 7).
    nonisolated(nonsending) func authorize(
        _ request: GatewayEndpointRequest,
        scope: String
    ) async throws(OAuthRefusal) -> AccessToken {
        let bearer = request.credentials("bearer")
        guard let text = bearer ?? request.credentials("dpop") else {
            throw OAuthRefusal(.invalidToken, "The request needs an access token.")
        }
        guard text.utf8.count <= 16_384, let token = issuer.activeToken(text),
            token.audience.contains(context.issuer)
        else {
            throw OAuthRefusal(
                .invalidToken,
                "The access token has expired, has been revoked, or is not for this resource."
            )
        }
        if let key = token.proofKey {
            guard bearer == nil else {
                throw OAuthRefusal(
                    .invalidToken,
                    "The access token is bound to a key. Send it with the scheme DPoP and a proof."
                )
            }
            guard let proved = try await proofs.key(of: request, by: token.clientID, accessToken: text) else {
                throw OAuthRefusal(
                    .invalidProof,
                    "The request needs a proof of the key that the access token is bound to."
                )
            }
            guard proved == key else {
                throw OAuthRefusal(.invalidToken, "The access token and the proof have different keys.")
            }
        } else if bearer == nil {
            throw OAuthRefusal(
                .invalidToken,
                "The access token is not bound to a key. Send it with the scheme Bearer."
            )
        }
        guard token.scopes.contains(scope) else {
            throw OAuthRefusal(.insufficientScope, "The access token does not have the scope \(scope).")
        }
        return token
    }

    /// Returns the claims about the user of the request's access token (OpenID Connect Core, section 5.3).
    nonisolated(nonsending) func userInfo(
        _ request: GatewayEndpointRequest
    ) async throws(OAuthRefusal) -> UserInfoResponse {
        let token = try await authorize(request, scope: "openid")
        guard let username = token.grant.username, let user = accounts.user(named: username),
            user.subject == token.grant.subject
        else {
            throw OAuthRefusal(.invalidToken, "The access token does not belong to a user.")
        }
        var claims = user.claims(for: token.scopes)
        claims["sub"] = .string(token.grant.subject)
        guard let algorithm = clients.client(token.clientID)?.metadata.userInfoSignature else {
            return .plain(claims)
        }
        claims["iss"] = .string(context.issuer + token.grant.issuerPath)
        claims["aud"] = .string(token.clientID)
        return .signed(try await signer.sign(claims, header: ["typ": "JWT"], by: algorithm))
    }

    /// Returns the protected resource, which needs the scope `api`.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - tree: The tree by which the user must have signed in; `nil` for any login.
    ///   - maximumAge: The maximum time since the login, in seconds.
    nonisolated(nonsending) func protectedResource(
        _ request: GatewayEndpointRequest,
        authenticatedBy tree: String? = nil,
        maximumAge: TimeInterval = .infinity
    ) async throws(OAuthRefusal) -> [String: JsonValue] {
        let token = try await authorize(request, scope: "api")
        guard tree == nil || token.grant.authenticationContext == tree else {
            throw OAuthRefusal(.insufficientUserAuthentication, "The user must sign in by another tree (acr_values).")
        }
        guard
            maximumAge == .infinity
                || token.grant.authenticatedAt.map({ context.now.timeIntervalSince($0) <= maximumAge }) ?? false
        else {
            throw OAuthRefusal(.insufficientUserAuthentication, "The user must sign in again (max_age).")
        }
        context.countProtectedCall()
        var resource: [String: JsonValue] = [
            "message": "Access granted.",
            "subject": .string(token.grant.subject),
            "client_id": .string(token.clientID),
            "scope": .string(token.scopes.joined(separator: " ")),
            "token_type": token.proofKey == nil ? "Bearer" : "DPoP",
        ]
        resource["username"] = token.grant.username.map { .string($0) }
        return resource
    }
}

/// A response of the userinfo endpoint.
enum UserInfoResponse: Sendable {
    /// Claims in JSON.
    case plain([String: JsonValue])
    /// A signed token.
    case signed(String)
}
