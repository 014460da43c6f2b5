import Crypto
import Foundation
import SallyportJOSE

extension AuthorizationServer {
    /// Gives tokens for a code, once (RFC 6749, section 4.1.3; RFC 7636, section 4.6).
    func redeemCode(_ call: TokenCall) async throws(OAuthRefusal) -> [String: JsonValue] {
        let code = SecretHash(try call.parameters.require("code"))
        let redirectURI = try call.parameters.require("redirect_uri")
        let verifier = try call.parameters.require("code_verifier")
        guard let record = codes.value(for: code, now: now()), record.grant.clientID == call.client.id else {
            throw OAuthRefusal(.invalidGrant, "The code is not known, has ended, or is another client's.")
        }
        guard !record.isUsed else {
            revoke(record.grant)
            throw OAuthRefusal(.invalidGrant, "The code was used before; what came of it is revoked.")
        }
        // Whatever is wrong with the rest, nobody can try it again.
        codes.update(code, now: now()) { $0.isUsed = true }
        guard record.redirectURI == redirectURI else {
            throw OAuthRefusal(.invalidGrant, "The code was given to another redirect_uri.")
        }
        guard record.challenge.isSameSecret(as: Self.challenge(of: verifier)) else {
            throw OAuthRefusal(.invalidGrant, "The code_verifier is not that of the code_challenge.")
        }
        guard record.proofKey == nil || record.proofKey == call.proofKey else {
            throw OAuthRefusal(.invalidGrant, "The code is bound to another key (dpop_jkt).")
        }
        // So long, a second use is noticed.
        codes.extend(code, until: now() + max(configuration.lifetimes.accessToken, 600))
        begin(record.grant)
        return try await firstTokens(record.grant, call)
    }

    private static func challenge(of verifier: String) -> String {
        Base64Url.encode(Data(SHA256.hash(data: Data(verifier.utf8))))
    }
}
