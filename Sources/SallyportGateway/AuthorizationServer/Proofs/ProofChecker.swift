import Crypto
import Foundation
import SallyportJOSE

/// Checks DPoP proofs, and detects proofs that are used twice (RFC 9449).
final class ProofChecker {
    /// The maximum difference between the time of a proof and the server's clock, in seconds.
    private static let window: TimeInterval = 60

    private let context: ServerContext
    private var nonces: GatewayProofNonces
    /// The proofs that have been used, with the clients that have sent them.
    private var usedProofs = ExpiringTable<SecretHash, String>(limit: 262_144, share: 65_536) { $1 }

    init(_ context: ServerContext) {
        self.context = context
        nonces = GatewayProofNonces(lifetime: context.lifetimes.proofNonce)
    }

    /// Returns the thumbprint of the key that signed a request's proof, or `nil` if there is no proof (section 4.3).
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - clientID: The client that has sent it. Each client can use a quarter of the memory for used proofs.
    ///   - accessToken: The access token whose hash the proof must contain (`ath`), at a protected resource.
    nonisolated(nonsending) func key(
        of request: GatewayEndpointRequest,
        by clientID: String,
        accessToken: String? = nil
    ) async throws(OAuthRefusal) -> String? {
        guard let text = request.proofs.first else { return nil }
        guard request.proofs.count == 1, text.utf8.count <= 8192 else {
            throw OAuthRefusal(.invalidProof, "There is more than one proof, or it is longer than 8192 bytes.")
        }
        let (claims, thumbprint) = try await Self.verified(text)
        guard claims["htm"]?.string == request.method else {
            throw OAuthRefusal(.invalidProof, "The proof is for another method (htm).")
        }
        guard let target = claims["htu"]?.string, Self.isSame(target, as: context.issuer + request.path) else {
            throw OAuthRefusal(
                .invalidProof,
                "The proof is for another URI (htu) than \(context.issuer + request.path)."
            )
        }
        guard let issuedAt = claims["iat"]?.number, abs(issuedAt - context.now.timeIntervalSince1970) <= Self.window
        else {
            throw OAuthRefusal(.invalidProof, "The proof is too old, or its time is in the future (iat).")
        }
        if let accessToken {
            let hash = Base64Url.encode(Data(SHA256.hash(data: Data(accessToken.utf8))))
            guard let stated = claims["ath"]?.string, ConstantTime.areEqual(stated.utf8, hash.utf8) else {
                throw OAuthRefusal(.invalidProof, "The proof is for another access token (ath).")
            }
        }
        try checkNonce(claims["nonce"]?.string)
        guard let id = claims["jti"]?.string, (1...256).contains(id.utf8.count) else {
            throw OAuthRefusal(.invalidProof, "The proof has no identifier of at most 256 bytes (jti).")
        }
        // Stored until a copy would be too old, even if the client's clock is ahead.
        let now = context.now
        let end = now + 2 * Self.window + 1
        guard usedProofs.insertNew(clientID, for: SecretHash("\(thumbprint)\n\(id)"), until: end, now: now) else {
            throw OAuthRefusal(.invalidProof, "The proof was used before (jti), or the client sends too many.")
        }
        return thumbprint
    }

    /// Returns the nonce for a response, or `nil` if proofs need none.
    func nonceForResponse() -> String? {
        context.configuration.demandsProofNonces ? nonces.nonce(now: context.now) : nil
    }

    /// Invalidates all nonces.
    func rotateNonces() {
        nonces = GatewayProofNonces(lifetime: context.lifetimes.proofNonce)
    }

    private func checkNonce(_ nonce: String?) throws(OAuthRefusal) {
        guard context.configuration.demandsProofNonces else { return }
        guard let nonce, nonces.accepts(nonce, now: context.now) else {
            throw OAuthRefusal(.useNonce, "The proof needs the nonce of this response.")
        }
    }

    private static nonisolated(nonsending) func verified(
        _ text: String
    ) async throws(OAuthRefusal) -> (claims: [String: JsonValue], thumbprint: String) {
        do {
            let proof = try JsonWebSignature(parsing: text)
            guard proof.header["typ"]?.string == "dpop+jwt", let members = proof.header["jwk"]?.object else {
                throw JoseError(.malformed, "The proof's header must contain typ=dpop+jwt and a jwk.")
            }
            let key = JsonWebKey(members: members)
            guard ["d", "p", "q", "dp", "dq", "qi", "k"].allSatisfy({ members[$0] == nil }) else {
                throw JoseError(.key, "The proof contains a private key.")
            }
            let algorithms = SignatureAlgorithm.allCases.filter { !$0.isSymmetric }
            try proof.verify(with: key, allowing: Set(algorithms))
            return (try proof.claims(), try key.thumbprint())
        } catch let error as JoseError {
            throw OAuthRefusal(.invalidProof, error.description)
        } catch {
            throw OAuthRefusal(.invalidProof, "The proof cannot be read.")
        }
    }

    /// Returns `true` if two URIs are equal apart from query and fragment, the case of scheme and host, and an explicit standard
    /// port.
    private static func isSame(_ target: String, as own: String) -> Bool {
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

/// Creates and verifies nonces for proofs (RFC 9449, section 8).
///
/// No nonce is stored: each consists of the time of its creation and a message authentication code of that time.
private struct GatewayProofNonces: Sendable {
    private let key = SymmetricKey(size: .bits256)
    let lifetime: TimeInterval

    init(lifetime: TimeInterval) {
        self.lifetime = lifetime
    }

    /// Returns a new nonce.
    func nonce(now: Date) -> String {
        let time = Int64(now.timeIntervalSince1970 * 1000)
        return "\(time).\(code(of: time))"
    }

    /// Returns `true` if this server created the nonce and it has not expired.
    func accepts(_ nonce: String, now: Date) -> Bool {
        let parts = nonce.split(separator: ".", maxSplits: 1)
        guard parts.count == 2, let time = Int64(parts[0]), ConstantTime.areEqual(parts[1].utf8, code(of: time).utf8)
        else { return false }
        let age = now.timeIntervalSince1970 - Double(time) / 1000
        return age >= -1 && age <= lifetime
    }

    private func code(of time: Int64) -> String {
        Base64Url.encode(Data(HMAC<SHA256>.authenticationCode(for: Data("\(time)".utf8), using: key)))
    }
}
