import Crypto
import CryptoExtras
import Foundation

extension JsonWebKey {
    /// Returns the private RSA key for decryption.
    func rsaDecryptionKey() throws(JoseError) -> _RSA.Encryption.PrivateKey {
        let key = try rsaPrivateKey()
        return try withKeyErrors { try _RSA.Encryption.PrivateKey(derRepresentation: key.derRepresentation) }
    }

    /// Generates a private key for decryption: RSA with 2048 bits, a key on a curve, or a symmetric key.
    ///
    /// - Parameters:
    ///   - algorithm: The key management algorithm that the key is for.
    ///   - curve: The curve of the key, with the algorithms of ECDH-ES.
    ///   - encryption: The content encryption that the key is for, with the algorithm `dir`.
    ///   - keyID: The key identifier (`kid`), if any.
    public static func generate(
        _ algorithm: KeyManagementAlgorithm,
        curve: KeyAgreementCurve = .p256,
        encryption: ContentEncryption = .a256gcm,
        keyID: String? = nil
    ) throws(JoseError) -> JsonWebKey {
        switch algorithm {
        case .rsaOaep, .rsaOaep256:
            guard let key = try? _RSA.Signing.PrivateKey(keySize: .bits2048) else {
                throw JoseError(.key, "The RSA key could not be generated.")
            }
            return try JsonWebKey(KeyMembers.rsa(key), algorithm: algorithm, keyID: keyID)
        case .ecdhEs, .ecdhEsA128kw, .ecdhEsA192kw, .ecdhEsA256kw:
            return JsonWebKey(KeyMembers.generated(on: curve), algorithm: algorithm, keyID: keyID)
        case .a128kw, .a192kw, .a256kw, .direct:
            let length = algorithm.wrappingLength ?? encryption.keyLength
            let secret = SymmetricKey(size: SymmetricKeySize(bitCount: length * 8)).withUnsafeBytes { Data($0) }
            return JsonWebKey(KeyMembers.symmetric(secret), algorithm: algorithm, keyID: keyID)
        }
    }

    /// Parses a private key for decryption in PEM: RSA (PKCS #8, PKCS #1), or elliptic curve (PKCS #8, SEC 1).
    public init(pem: String, algorithm: KeyManagementAlgorithm, keyID: String? = nil) throws(JoseError) {
        let members: [String: JsonValue]?
        switch algorithm {
        case .rsaOaep, .rsaOaep256:
            members = try (try? _RSA.Signing.PrivateKey(pemRepresentation: pem)).map { (key) throws(JoseError) in
                try KeyMembers.rsa(key)
            }
        case .ecdhEs, .ecdhEsA128kw, .ecdhEsA192kw, .ecdhEsA256kw: members = KeyMembers.curve(inPem: pem)
        case .a128kw, .a192kw, .a256kw, .direct: members = nil
        }
        guard let members else {
            throw JoseError(.key, "The PEM contains no private key for \(algorithm.rawValue) without a passphrase.")
        }
        self.init(members, algorithm: algorithm, keyID: keyID)
    }

    private init(_ keyMembers: [String: JsonValue], algorithm: KeyManagementAlgorithm, keyID: String?) {
        var members = keyMembers
        members["alg"] = .string(algorithm.rawValue)
        members["use"] = "enc"
        members["kid"] = keyID.map(JsonValue.string)
        self.init(members: members)
    }
}

extension KeyMembers {
    /// Returns the members of a new private key on a curve.
    static func generated(on curve: KeyAgreementCurve) -> [String: JsonValue] {
        switch curve {
        case .p256: p256(P256.Signing.PrivateKey())
        case .p384: p384(P384.Signing.PrivateKey())
        case .p521: p521(P521.Signing.PrivateKey())
        case .x25519: x25519(Curve25519.KeyAgreement.PrivateKey())
        }
    }

    /// Returns the members of a private key on a curve for key agreement; `nil` if the PEM contains none.
    static func curve(inPem pem: String) -> [String: JsonValue]? {
        if let key = try? P256.Signing.PrivateKey(pemRepresentation: pem) { return p256(key) }
        if let key = try? P384.Signing.PrivateKey(pemRepresentation: pem) { return p384(key) }
        if let key = try? P521.Signing.PrivateKey(pemRepresentation: pem) { return p521(key) }
        guard isKey(inPem: pem, on: .x25519) else { return nil }
        return (try? Curve25519.KeyAgreement.PrivateKey(pemRepresentation: pem)).map(x25519)
    }

    private static func x25519(_ key: Curve25519.KeyAgreement.PrivateKey) -> [String: JsonValue] {
        curve(.x25519, key.publicKey.rawRepresentation, key.rawRepresentation)
    }
}
