import Crypto
import Foundation
import SallyportJOSE

extension AuthorizationServer {
    /// How far from now a proof may have been made, in seconds.
    private static let window: TimeInterval = 60

    /// Checks the proof that a request carries (RFC 9449, section 4.3).
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - clientID: The client that has sent it; each can use a quarter of the memory for used proofs.
    ///   - accessToken: The token that the proof has to belong to, at a protected resource.
    /// - Returns: The thumbprint of the key that has signed it; `nil` if there is no proof.
    func proofKey(
        of request: GatewayEndpointRequest,
        by clientID: String,
        accessToken: String? = nil
    ) async throws(OAuthRefusal) -> String? {
        guard let text = request.proofs.first else { return nil }
        guard request.proofs.count == 1, text.utf8.count <= 8192 else {
            throw OAuthRefusal(.invalidProof, "There is more than one proof, or one of more than 8192 bytes.")
        }
        let (claims, thumbprint) = try await verified(text)
        guard claims["htm"]?.string == request.method else {
            throw OAuthRefusal(.invalidProof, "The proof is for another method (htm).")
        }
        guard let target = claims["htu"]?.string, isSame(target, as: issuer + request.path) else {
            throw OAuthRefusal(
                .invalidProof,
                "The proof is for another address (htu); this is \(issuer + request.path)."
            )
        }
        guard let issuedAt = claims["iat"]?.number, abs(issuedAt - now().timeIntervalSince1970) <= Self.window else {
            throw OAuthRefusal(.invalidProof, "The proof was made too long ago, or later than now (iat).")
        }
        if let accessToken {
            let hash = Base64Url.encode(Data(SHA256.hash(data: Data(accessToken.utf8))))
            guard claims["ath"]?.string?.isSameSecret(as: hash) == true else {
                throw OAuthRefusal(.invalidProof, "The proof is for another access token (ath).")
            }
        }
        try checkNonce(claims["nonce"]?.string)
        guard let id = claims["jti"]?.string, (1...256).contains(id.utf8.count) else {
            throw OAuthRefusal(.invalidProof, "The proof has no name of at most 256 bytes (jti).")
        }
        // Kept while a copy would be young enough, however far ahead its clock was.
        let end = now() + 2 * Self.window + 1
        guard seenProofs.insertNew(clientID, for: SecretHash("\(thumbprint)\n\(id)"), until: end, now: now()) else {
            throw OAuthRefusal(.invalidProof, "The proof has been used before (jti), or the client sends too many.")
        }
        return thumbprint
    }

    /// A nonce to send along, where they are demanded.
    func nonceToGive() -> String? {
        configuration.demandsProofNonces ? nonces.nonce(now: now()) : nil
    }

    private func checkNonce(_ nonce: String?) throws(OAuthRefusal) {
        guard configuration.demandsProofNonces else { return }
        guard let nonce, nonces.accepts(nonce, now: now()) else {
            throw OAuthRefusal(.useNonce, "The proof needs the nonce that this answer gives.")
        }
    }

    private func verified(
        _ text: String
    ) async throws(OAuthRefusal) -> (claims: [String: JsonValue], thumbprint: String) {
        do {
            let proof = try JsonWebSignature(parsing: text)
            guard proof.header["typ"]?.string == "dpop+jwt", let members = proof.header["jwk"]?.object else {
                throw JoseError(.malformed, "The proof's header needs typ=dpop+jwt and a jwk.")
            }
            let key = JsonWebKey(members: members)
            guard ["d", "p", "q", "dp", "dq", "qi", "k"].allSatisfy({ members[$0] == nil }) else {
                throw JoseError(.key, "The proof's key holds its private part.")
            }
            let algorithms = SignatureAlgorithm.allCases.filter(\.isAsymmetric)
            try await proof.verify(with: key, allowing: Set(algorithms))
            return (try proof.claims(), try key.thumbprint())
        } catch let error as JoseError {
            throw OAuthRefusal(.invalidProof, error.description)
        } catch {
            throw OAuthRefusal(.invalidProof, "The proof cannot be read.")
        }
    }

    /// Compares addresses without query and fragment; scheme and host in any case, the standard port left out or not.
    private func isSame(_ target: String, as own: String) -> Bool {
        func normal(_ text: String) -> [String]? {
            guard let parts = URLComponents(string: text), let scheme = parts.scheme?.lowercased(),
                let host = parts.host?.lowercased(), parts.user == nil, parts.password == nil
            else { return nil }
            let port = parts.port ?? (scheme == "https" ? 443 : 80)
            return [scheme, host, "\(port)", parts.percentEncodedPath.isEmpty ? "/" : parts.percentEncodedPath]
        }
        guard let target = normal(target) else { return false }
        return target == normal(own)
    }
}
