import Foundation
import SallyportJOSE

extension AuthorizationServer {
    /// Gives tokens for a grant (RFC 6749, section 3.2), and counts it.
    func token(_ request: GatewayEndpointRequest) async throws(OAuthRefusal) -> [String: JsonValue] {
        let client = try await authenticate(request)
        let name = try request.parameters.require("grant_type")
        guard let grant = GrantType(rawValue: name) else {
            throw OAuthRefusal(.unsupportedGrantType, "The grant type is not known.")
        }
        guard client.allows(grant) else {
            throw OAuthRefusal(.unauthorizedClient, "The client is not registered for this grant type.")
        }
        let proofKey = try await proofKey(of: request, by: client.id)
        guard proofKey != nil || !client.metadata.demandsProofs else {
            throw OAuthRefusal(.invalidProof, "The client is registered to prove its key, and has not.")
        }
        let call = TokenCall(client: client, parameters: request.parameters, proofKey: proofKey)
        let answer =
            switch grant {
            case .authorizationCode: try await redeemCode(call)
            case .refreshToken: try await refresh(call)
            case .clientCredentials: try await giveToClient(call)
            case .deviceCode: try await redeemDeviceCode(call)
            case .tokenExchange: try await exchange(call)
            }
        statistics.grants[name, default: 0] += 1
        return answer
    }

    /// Begins a grant, which ends with its first access token unless a refresh token extends it.
    func begin(_ grant: Grant) {
        grants.insert(grant, for: grant.id, until: now() + configuration.lifetimes.accessToken + 60, now: now())
    }

    /// All tokens of a new grant by a person.
    func firstTokens(_ grant: Grant, _ call: TokenCall) async throws(OAuthRefusal) -> [String: JsonValue] {
        var refreshToken: String?
        if call.client.allows(.refreshToken) {
            refreshToken = makeRefreshToken(grant, proofKey: call.client.isPublic ? call.proofKey : nil)
        }
        return try await tokens(grant, call, scopes: grant.scopes, refreshToken: refreshToken, nonce: grant.nonce)
    }

    /// The answer with an access token, the refresh token that was made for it, and an id_token where `openid` was granted.
    func tokens(
        _ grant: Grant,
        _ call: TokenCall,
        scopes: [String],
        refreshToken: String?,
        nonce: String? = nil
    ) async throws(OAuthRefusal) -> [String: JsonValue] {
        let accessToken = try await makeAccessToken(grant, for: call.client, scopes: scopes, proofKey: call.proofKey)
        var answer = call.answer(accessToken, scopes: scopes, lifetime: configuration.lifetimes.accessToken)
        answer["refresh_token"] = refreshToken.map { .string($0) }
        if scopes.contains("openid"), grant.username != nil {
            answer["id_token"] = .string(
                try await makeIdToken(grant, for: call.client, accessToken: accessToken, nonce: nonce)
            )
        }
        return answer
    }
}

/// A request for tokens by a client that is known.
struct TokenCall: Sendable {
    let client: GatewayClient
    let parameters: FormParameters
    /// The key that the request has proved.
    let proofKey: String?

    /// The scopes that are asked for, which have to be among those allowed.
    func scopes(among allowed: [String], default standard: [String]) throws(OAuthRefusal) -> [String] {
        guard let scopes = parameters.words("scope") else { return standard }
        guard scopes.allSatisfy(allowed.contains) else {
            throw OAuthRefusal(.invalidScope, "A scope is asked for that may not be given.")
        }
        return scopes.uniqued
    }

    /// The answer that gives an access token (RFC 6749, section 5.1).
    func answer(_ accessToken: String, scopes: [String], lifetime: TimeInterval) -> [String: JsonValue] {
        [
            "access_token": .string(accessToken),
            "token_type": proofKey == nil ? "Bearer" : "DPoP",
            "expires_in": .integer(Int64(lifetime)),
            "scope": .string(scopes.joined(separator: " ")),
        ]
    }
}

extension [String] {
    /// Each text once, in order.
    var uniqued: [String] {
        var seen: Set<String> = []
        return filter { seen.insert($0).inserted }
    }
}
