import Foundation
import SallyportJOSE

/// Issues access tokens and id_tokens, and stores the access tokens so that they can be revoked.
final class TokenIssuer {
    /// The scopes for user data. A client that acts on its own behalf never gets them.
    private static let userScopes: Set<String> = ["openid", "profile", "email", "offline_access"]

    private let context: ServerContext
    private let grants: GrantTable
    private let signer: TokenSigner
    private var accessTokens = ExpiringTable<SecretHash, AccessToken>(limit: 131_072) { $1.owner }

    init(_ context: ServerContext, grants: GrantTable, signer: TokenSigner) {
        self.context = context
        self.grants = grants
        self.signer = signer
    }

    /// Issues an access token and, if the scope `openid` was granted by a user, an id_token.
    ///
    /// - Parameters:
    ///   - grant: The grant that the tokens belong to.
    ///   - request: The token request.
    ///   - scopes: The scopes of the access token.
    ///   - refreshToken: The refresh token for the response.
    ///   - nonce: The `nonce` for the id_token.
    nonisolated(nonsending) func response(
        _ grant: Grant,
        _ request: TokenRequest,
        scopes: [String],
        refreshToken: String? = nil,
        nonce: String? = nil
    ) async throws(OAuthRefusal) -> [String: JsonValue] {
        let accessToken = try await accessToken(grant, request, scopes: scopes)
        var response = request.response(accessToken, scopes: scopes, lifetime: context.lifetimes.accessToken)
        response["refresh_token"] = refreshToken.map { .string($0) }
        if scopes.contains("openid"), grant.username != nil {
            let idToken = try await idToken(grant, for: request.client, accessToken: accessToken, nonce: nonce)
            response["id_token"] = .string(idToken)
        }
        return response
    }

    /// Issues an access token to a client that acts on its own behalf (RFC 6749, section 4.4).
    ///
    /// Scopes for user data are removed. If no other scope remains, the request is refused.
    nonisolated(nonsending) func clientCredentialsResponse(
        _ request: TokenRequest
    ) async throws(OAuthRefusal) -> [String: JsonValue] {
        let requestable = request.client.scopes(.clientCredentials)
        let allowed = requestable.filter { !Self.userScopes.contains($0) }
        let scopes = try request.scopes(among: requestable, default: allowed).filter(allowed.contains)
        guard !scopes.isEmpty else {
            throw OAuthRefusal(.invalidScope, "The requested scopes are only for users.")
        }
        let id = request.client.id
        let grant = Grant(
            id: Secret.randomName(),
            clientID: id,
            username: nil,
            subject: id,
            scopes: scopes,
            issuerPath: request.issuerPath
        )
        grants.begin(grant)
        return try await response(grant, request, scopes: scopes)
    }

    /// Issues an access token (RFC 9068).
    ///
    /// - Parameters:
    ///   - grant: The grant that the token belongs to.
    ///   - request: The token request.
    ///   - scopes: The scopes of the token.
    ///   - audience: The resources that the token is for; if empty, this server.
    ///   - actor: The `act` claim.
    ///   - subject: The access token that is exchanged for the new one, if any. The new token does not expire later.
    nonisolated(nonsending) func accessToken(
        _ grant: Grant,
        _ request: TokenRequest,
        scopes: [String],
        audience: [String] = [],
        actor: JsonValue? = nil,
        exchangedFor subject: AccessToken? = nil
    ) async throws(OAuthRefusal) -> String {
        let now = context.now
        let end = min(now + context.lifetimes.accessToken, subject?.end ?? .distantFuture)
        let token = AccessToken(
            id: Secret.randomName(),
            grant: grant,
            clientID: request.client.id,
            scopes: scopes,
            audience: audience.isEmpty ? [context.issuer] : audience,
            isExchanged: subject != nil,
            issuedAt: now,
            end: end,
            proofKey: request.proofKey,
            applicationClaims: request.client.tokenClaims
        )
        var claims = token.claims(issuer: context.issuer + token.grant.issuerPath)
        claims["act"] = actor
        let text = try await signer.sign(claims, header: ["typ": "at+jwt"])
        accessTokens.insert(token, for: SecretHash(text), until: end, now: now)
        return text
    }

    /// Returns an access token that has neither expired nor been revoked, or `nil`.
    func activeToken(_ text: String) -> AccessToken? {
        guard let token = accessTokens.value(for: SecretHash(text), now: context.now), grants.isActive(token.grant)
        else { return nil }
        return token
    }

    /// Returns the introspection response for an active access token, or `nil` (RFC 7662).
    func introspection(_ text: String) -> [String: JsonValue]? {
        guard let token = activeToken(text) else { return nil }
        var claims = token.claims(issuer: context.issuer + token.grant.issuerPath)
        claims["active"] = true
        claims["nbf"] = .seconds(token.issuedAt)
        claims["token_type"] = token.proofKey == nil ? "Bearer" : "DPoP"
        claims["username"] = token.grant.username.map { .string($0) }
        return claims
    }

    /// Revokes an access token, but not its grant (RFC 7009).
    ///
    /// - Returns: `false` if there is no such access token.
    func revoke(_ text: String, by client: GatewayClient) throws(OAuthRefusal) -> Bool {
        let hash = SecretHash(text)
        guard let token = accessTokens.value(for: hash, now: context.now) else { return false }
        guard token.clientID == client.id else { throw OAuthRefusal.tokenOfAnotherClient }
        accessTokens.remove(hash)
        return true
    }

    /// Revokes all access tokens, but not their grants.
    func revokeAll() {
        accessTokens.removeAll { _ in true }
    }

    /// Issues an id_token, and encrypts it if the client's metadata requires it (OpenID Connect Core, section 2).
    private nonisolated(nonsending) func idToken(
        _ grant: Grant,
        for client: GatewayClient,
        accessToken: String,
        nonce: String?
    ) async throws(OAuthRefusal) -> String {
        let now = context.now
        let algorithm = client.metadata.idTokenSignature ?? Self.idTokenSignature(grant, context.configuration)
        var claims: [String: JsonValue] = [
            "iss": .string(context.issuer + grant.issuerPath),
            "sub": .string(grant.subject),
            "aud": .string(client.id),
            "iat": .seconds(now),
            "exp": .seconds(now + context.lifetimes.idToken),
            "at_hash": .string(algorithm.leftHalfHash(of: accessToken)),
        ]
        claims["nonce"] = nonce.map { .string($0) }
        claims["auth_time"] = grant.authenticatedAt.map { .seconds($0) }
        claims["acr"] = grant.authenticationContext.map { .string($0) }
        claims["amr"] = grant.amr
        claims["sid"] = grant.sessionID.map { .string($0) }
        let signed = try await signer.sign(claims, header: ["typ": "JWT"], by: algorithm)
        guard let management = client.metadata.idTokenKeyManagement else { return signed }
        return try Self.encrypt(signed, for: client, by: management)
    }

    /// Returns the signature algorithm for a client that is not registered for one: the first one or, at PingAM's paths, RS256, which
    /// clients expect there.
    private static func idTokenSignature(
        _ grant: Grant,
        _ configuration: AuthorizationServerConfiguration
    ) -> SignatureAlgorithm {
        let algorithms = configuration.signatureAlgorithms
        if !grant.issuerPath.isEmpty, algorithms.contains(.rs256) { return .rs256 }
        return algorithms.first ?? .es256
    }

    private static func encrypt(
        _ token: String,
        for client: GatewayClient,
        by management: KeyManagementAlgorithm
    ) throws(OAuthRefusal) -> String {
        guard let key = client.metadata.encryptionKey else {
            throw OAuthRefusal(.serverError, "The client has no key for encryption.")
        }
        var header: [String: JsonValue] = ["cty": "JWT"]
        header["kid"] = key.keyID.map { .string($0) }
        do {
            return try JsonWebEncryption.encrypt(
                Data(token.utf8),
                to: key,
                algorithm: management,
                encryption: client.metadata.idTokenEncryption,
                header: header
            )
        } catch {
            throw OAuthRefusal(.serverError, "The id_token cannot be encrypted with the client's key.")
        }
    }
}

/// An access token.
struct AccessToken: Sendable {
    let id: String
    let grant: Grant
    let clientID: String
    let scopes: [String]
    let audience: [String]
    /// `true` if it was issued in exchange for another access token. It must not exceed the audience of that token.
    let isExchanged: Bool
    let issuedAt: Date
    let end: Date
    /// The thumbprint of the key that it is bound to.
    let proofKey: String?
    /// Further claims, configured for the client (``GatewayClient/tokenClaims``).
    let applicationClaims: [String: JsonValue]

    /// The client and the user, as the owner of the entry in an ``ExpiringTable``.
    var owner: String { "\(clientID)\n\(grant.username ?? "")" }

    /// Returns the claims of the token (RFC 9068, section 2.2).
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
        claims["acr"] = grant.authenticationContext.map { .string($0) }
        claims["amr"] = grant.amr
        claims["cnf"] = proofKey.map { ["jkt": .string($0)] }
        return claims.merging(applicationClaims) { own, _ in own }
    }
}

extension Grant {
    /// The `amr` claim, or `nil` if the user did not authenticate.
    fileprivate var amr: JsonValue? {
        authenticationMethods.isEmpty ? nil : .array(authenticationMethods.map { .string($0) })
    }
}

extension OAuthRefusal {
    static let tokenOfAnotherClient = OAuthRefusal(.invalidGrant, "The token belongs to another client.")
}

extension JsonValue {
    /// Returns a NumericDate: whole seconds since 1970 (RFC 7519, section 2).
    static func seconds(_ date: Date) -> JsonValue {
        .integer(Int64(date.timeIntervalSince1970))
    }
}
