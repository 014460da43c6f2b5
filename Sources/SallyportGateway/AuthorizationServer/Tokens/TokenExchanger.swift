import Foundation
import SallyportJOSE

/// Issues access tokens in exchange for others (RFC 8693).
final class TokenExchanger {
    private static let accessTokenType = "urn:ietf:params:oauth:token-type:access_token"

    private let context: ServerContext
    private let issuer: TokenIssuer

    init(_ context: ServerContext, issuer: TokenIssuer) {
        self.context = context
        self.issuer = issuer
    }

    /// Issues an access token in exchange for the `subject_token`.
    ///
    /// The new token has the same subject, no further scope and no later expiry. A token that was itself issued in exchange
    /// can be exchanged only for its own audience or a part of it.
    nonisolated(nonsending) func exchange(_ request: TokenRequest) async throws(OAuthRefusal) -> [String: JsonValue] {
        let form = request.parameters
        guard try form.require("subject_token_type") == Self.accessTokenType,
            form["requested_token_type"].map({ $0 == Self.accessTokenType }) ?? true
        else {
            throw OAuthRefusal(.invalidRequest, "Only access tokens can be exchanged, for access tokens.")
        }
        let subject = try exchangeableToken(try form.require("subject_token"), parameter: "subject_token", request)
        let allowed = subject.scopes.filter(request.client.scopes.contains)
        let scopes = try request.scopes(among: allowed, default: allowed)
        let token = try await issuer.accessToken(
            subject.grant,
            request,
            scopes: scopes,
            audience: try Self.audience(form, for: subject),
            actor: try actor(request),
            exchangedFor: subject
        )
        let lifetime = min(context.lifetimes.accessToken, subject.end.timeIntervalSince(context.now))
        var response = request.response(token, scopes: scopes, lifetime: max(0, lifetime))
        response["issued_token_type"] = .string(Self.accessTokenType)
        return response
    }

    /// Returns the `act` claim for the subject of the `actor_token`, or `nil` if there is none.
    private func actor(_ request: TokenRequest) throws(OAuthRefusal) -> JsonValue? {
        guard let text = request.parameters["actor_token"] else {
            guard request.parameters["actor_token_type"] == nil else {
                throw OAuthRefusal(.invalidRequest, "There is an actor_token_type without an actor_token.")
            }
            return nil
        }
        guard request.parameters["actor_token_type"] == Self.accessTokenType else {
            throw OAuthRefusal(.invalidRequest, "The actor_token must be an access token.")
        }
        return ["sub": .string(try exchangeableToken(text, parameter: "actor_token", request).grant.subject)]
    }

    private func exchangeableToken(
        _ text: String,
        parameter: String,
        _ request: TokenRequest
    ) throws(OAuthRefusal) -> AccessToken {
        guard let token = issuer.activeToken(text) else {
            throw OAuthRefusal(
                .invalidRequest,
                "The \(parameter) is not a token of this server, or has expired or been revoked."
            )
        }
        guard ([request.client.id] + request.client.tokenExchangeClients).contains(token.clientID) else {
            throw OAuthRefusal(
                .invalidRequest,
                "The \(parameter) was issued to another client, whose tokens this client may not exchange."
            )
        }
        guard token.proofKey == nil || token.proofKey == request.proofKey else {
            throw OAuthRefusal(.invalidProof, "The \(parameter) is bound to a key that the request does not prove.")
        }
        return token
    }

    private static func audience(_ form: FormParameters, for subject: AccessToken) throws(OAuthRefusal) -> [String] {
        let resources = form.all("resource")
        guard resources.allSatisfy({ $0.contains("://") && !$0.contains("#") }) else {
            throw OAuthRefusal(.invalidTarget, "A resource must be an absolute URI without a fragment.")
        }
        let requested = (form.all("audience") + resources).uniqued
        guard subject.isExchanged else { return requested }
        guard requested.allSatisfy(subject.audience.contains) else {
            throw OAuthRefusal(
                .invalidTarget,
                "The subject_token was itself issued in exchange, and not for this audience."
            )
        }
        return requested.isEmpty ? subject.audience : requested
    }
}
