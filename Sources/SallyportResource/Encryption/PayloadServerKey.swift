import Crypto
import CryptoExtras
import Foundation
import Sallyport
import SallyportJOSE

/// The public key of the server that decrypts payloads, which the app contains.
///
/// Only a server with the private key can open a session of ``PayloadEncryption``, so the key protects payloads also from computers
/// that terminate TLS, such as a proxy in front of the server.
///
/// ```swift
/// let key = try PayloadServerKey(parsing: configuration.serverPublicKey)
/// ```
///
/// To replace the key of a server, publish an app version that contains the old and the new key, in the order of preference. Remove the
/// old key from the server when no other app versions are in use. A key that was disclosed must be removed from the app: until then,
/// anyone who has its private key can pose as the server.
public struct PayloadServerKey: Sendable, Equatable {
    /// The public keys in the order of preference. Each has its thumbprint as its identifier (`kid`).
    let keys: [JsonWebKey]

    /// Creates a server key from public keys on X25519 or P-256.
    ///
    /// - Parameter keys: The key, or several in the order of preference. Other identifiers are ignored.
    /// - Throws: ``PayloadEncryptionError/invalidKey(_:)`` if there is no key, or a key is private or cannot be used.
    public init(_ keys: [JsonWebKey]) throws(PayloadEncryptionError) {
        if keys.isEmpty { throw .invalidKey("there is no key") }
        // An app that contains the private key discloses it to everyone.
        if keys.contains(where: { $0.members["d"] != nil }) {
            throw .invalidKey(
                "it contains the private key (d), which only the server may have; use the public key, and replace "
                    + "the private key if it was disclosed"
            )
        }
        self.keys = try keys.map { (key) throws(PayloadEncryptionError) in try PayloadKey.checked(key.publicKey) }
    }

    /// Parses a public key.
    ///
    /// - Parameter text: A JSON Web Key (RFC 7517), a set of such keys, or one public key in PEM (`BEGIN PUBLIC KEY`).
    /// - Throws: ``PayloadEncryptionError/invalidKey(_:)`` if the text is none of these, or a key is private or
    ///   cannot be used.
    public init(parsing text: String) throws(PayloadEncryptionError) {
        if text.contains("-----BEGIN") {
            guard let key = Self.key(ofPem: text) else {
                throw .invalidKey("the PEM contains no public key on X25519 or P-256")
            }
            try self.init([key])
            return
        }
        guard let object: [String: JsonValue] = try? JsonDocument(text).decode() else {
            throw .invalidKey("it is neither a JSON Web Key nor a public key in PEM")
        }
        let keys = object["keys"]?.array ?? [.object(object)]
        try self.init(
            keys.map { (key) throws(PayloadEncryptionError) in
                guard let members = key.object else { throw .invalidKey("a member of the set is not a JSON Web Key") }
                return JsonWebKey(members: members)
            }
        )
    }

    private static func key(ofPem pem: String) -> JsonWebKey? {
        if let key = try? P256.KeyAgreement.PublicKey(pemRepresentation: pem) {
            return .p256(publicPoint: key.rawRepresentation)
        }
        // The curve is compared as well: swift-crypto accepts a key on Ed25519, because the format is the same.
        guard let key = try? Curve25519.KeyAgreement.PublicKey(pemRepresentation: pem),
            pem.filter({ !$0.isWhitespace }).contains(key.pemRepresentation.filter { !$0.isWhitespace })
        else { return nil }
        return JsonWebKey(members: [
            "kty": "OKP", "crv": "X25519", "x": .string(Base64Url.encode(key.rawRepresentation)),
        ])
    }
}

/// The keys of payload encryption: keys for ECDH-ES on X25519 or P-256, each with its thumbprint as its identifier.
package enum PayloadKey {
    /// Returns a key with only the members that define it, and its thumbprint as `kid`.
    ///
    /// - Throws: ``PayloadEncryptionError/invalidKey(_:)`` if the key cannot be used.
    package static func checked(_ key: JsonWebKey) throws(PayloadEncryptionError) -> JsonWebKey {
        do throws(JoseError) {
            _ = try curve(of: key)
            let names: Set = ["kty", "crv", "x", "y", "d"]
            var members = key.members.filter { names.contains($0.key) }
            members["use"] = "enc"
            members["alg"] = .string(KeyManagementAlgorithm.ecdhEs.rawValue)
            members["kid"] = .string(try key.thumbprint())
            let checked = JsonWebKey(members: members)
            _ = try KeyAgreement(with: checked.publicKey)
            return checked
        } catch {
            throw .invalidKey(error.description)
        }
    }

    /// Generates a private key on a curve.
    package static func generate(on curve: KeyAgreementCurve = .x25519) throws(JoseError) -> JsonWebKey {
        try JsonWebKey.generate(.ecdhEs, curve: curve)
    }

    /// Returns the curve of a key.
    ///
    /// - Throws: `JoseError` for other curves than X25519 and P-256.
    static func curve(of key: JsonWebKey) throws(JoseError) -> KeyAgreementCurve {
        guard let name = key.members["crv"]?.string, let curve = KeyAgreementCurve(rawValue: name),
            curve == .x25519 || curve == .p256
        else { throw JoseError(.key, "The key is not on X25519 or P-256.") }
        return curve
    }

    /// Returns the members of a public key that are exchanged: only those that define it.
    static func exchanged(_ key: JsonWebKey) -> JsonValue {
        let names: Set = ["kty", "crv", "x", "y"]
        return .object(key.members.filter { names.contains($0.key) })
    }
}
