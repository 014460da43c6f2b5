import Foundation
import SallyportJOSE

extension AuthorizationServer {
    /// What clients verify its tokens with.
    func publishedKeys() -> JsonWebKeySet {
        renewKeys()
        return JsonWebKeySet(keys.published(now: now()))
    }

    /// Signs claims with the key of now.
    func sign(
        _ claims: [String: JsonValue],
        header: [String: JsonValue],
        by algorithm: SignatureAlgorithm? = nil
    ) async throws(OAuthRefusal) -> String {
        renewKeys()
        guard let key = keys.signing(algorithm, now: now()) else {
            throw OAuthRefusal(.serverError, "There is no key to sign with.")
        }
        do {
            return try await JsonWebSignature.sign(claims, header: header, with: key)
        } catch {
            throw OAuthRefusal(.serverError, "The token could not be signed.")
        }
    }

    /// Verifies a token of its own, whenever it ends.
    func ownClaims(_ token: String) async -> [String: JsonValue]? {
        guard token.utf8.count <= 16_384, let signature = try? JsonWebSignature(parsing: token),
            let key = keys.published(now: now()).first(where: { $0.keyID != nil && $0.keyID == signature.keyID })
        else { return nil }
        do {
            try await signature.verify(with: key, allowing: Set(configuration.signatureAlgorithms))
            let claims = try signature.claims()
            return claims["iss"]?.string == issuer ? claims : nil
        } catch {
            return nil
        }
    }

    /// Announces the next key when the present one has signed long enough: it takes over a minute later.
    private func renewKeys() {
        let lead: TimeInterval = 60
        guard keys.areOlder(than: configuration.lifetimes.signingKey - lead, now: now()) else { return }
        try? keys.rotate(lead: lead, now: now())
    }
}
