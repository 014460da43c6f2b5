import Foundation
import SallyportJOSE

extension AuthorizationServer {
    private static let accessTokenType = "urn:ietf:params:oauth:token-type:access_token"

    /// Issues an access token in exchange for another (RFC 8693).
    ///
    /// The new token has the same subject, no further scope and no later end. A token that was itself issued in exchange is
    /// exchanged for its own audience or a part of it.
    func exchange(_ call: TokenCall) async throws(OAuthRefusal) -> [String: JsonValue] {
        let form = call.parameters
        guard try form.require("subject_token_type") == Self.accessTokenType,
            form["requested_token_type"].map({ $0 == Self.accessTokenType }) ?? true
        else {
            throw OAuthRefusal(.invalidRequest, "Only access tokens can be exchanged, for access tokens.")
        }
        let subject = try tokenToExchange(try form.require("subject_token"), "subject_token", call)
        let allowed = subject.scopes.filter(call.client.scopes.contains)
        let scopes = try call.scopes(among: allowed, default: allowed)
        let token = try await makeAccessToken(
            subject.grant,
            for: call.client,
            scopes: scopes,
            audience: try audience(form, for: subject),
            proofKey: call.proofKey,
            actor: try actor(call),
            exchangedFor: subject
        )
        let lifetime = min(configuration.lifetimes.accessToken, subject.end.timeIntervalSince(now()))
        var answer = call.answer(token, scopes: scopes, lifetime: max(0, lifetime))
        answer["issued_token_type"] = .string(Self.accessTokenType)
        return answer
    }

    /// Who acts for the person, if somebody else is named.
    private func actor(_ call: TokenCall) throws(OAuthRefusal) -> JsonValue? {
        guard let text = call.parameters["actor_token"] else {
            guard call.parameters["actor_token_type"] == nil else {
                throw OAuthRefusal(.invalidRequest, "There is an actor_token_type without an actor_token.")
            }
            return nil
        }
        guard call.parameters["actor_token_type"] == Self.accessTokenType else {
            throw OAuthRefusal(.invalidRequest, "The actor_token has to be an access token.")
        }
        return ["sub": .string(try tokenToExchange(text, "actor_token", call).grant.subject)]
    }

    private func tokenToExchange(
        _ text: String,
        _ name: String,
        _ call: TokenCall
    ) throws(OAuthRefusal) -> AccessToken {
        guard let token = activeToken(text) else {
            throw OAuthRefusal(.invalidRequest, "The \(name) is not a token of this server, or has ended.")
        }
        guard ([call.client.id] + call.client.tokenExchangeClients).contains(token.clientID) else {
            throw OAuthRefusal(
                .invalidRequest,
                "The \(name) was issued to another client, whose tokens this client may not exchange."
            )
        }
        guard token.proofKey == nil || token.proofKey == call.proofKey else {
            throw OAuthRefusal(.invalidProof, "The \(name) is bound to a key that the request does not prove.")
        }
        return token
    }

    private func audience(_ form: FormParameters, for subject: AccessToken) throws(OAuthRefusal) -> [String] {
        let resources = form.all("resource")
        guard resources.allSatisfy({ $0.contains("://") && !$0.contains("#") }) else {
            throw OAuthRefusal(.invalidTarget, "A resource is an absolute address without a fragment.")
        }
        let asked = (form.all("audience") + resources).uniqued
        guard subject.isExchanged else { return asked }
        guard asked.allSatisfy(subject.audience.contains) else {
            throw OAuthRefusal(
                .invalidTarget,
                "The subject_token is itself from an exchange, and not for that audience."
            )
        }
        return asked.isEmpty ? subject.audience : asked
    }
}
