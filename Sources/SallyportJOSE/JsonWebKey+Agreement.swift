import Crypto
import CryptoExtras
import Foundation

extension JsonWebKey {
    /// Returns the private RSA key for decryption.
    func rsaDecryptionKey() throws(JoseError) -> _RSA.Encryption.PrivateKey {
        let numbers = try rsaPrivateKey()
        return try reading { try _RSA.Encryption.PrivateKey(derRepresentation: numbers.derRepresentation) }
    }

    /// Returns the shared secret of this private key and the other side's public key on the same curve.
    func sharedSecret(with other: JsonWebKey) throws(JoseError) -> SharedSecret {
        let curve = try knownCurve
        guard try other.knownCurve == curve else { throw JoseError(.key, "The keys are on different curves.") }
        let number = try bytes("d", count: curve.length)
        let point = try other.publicPoint()
        let secret: SharedSecret = try reading {
            switch curve {
            case .p256:
                try P256.KeyAgreement.PrivateKey(rawRepresentation: number)
                    .sharedSecretFromKeyAgreement(with: P256.KeyAgreement.PublicKey(x963Representation: point))
            case .p384:
                try P384.KeyAgreement.PrivateKey(rawRepresentation: number)
                    .sharedSecretFromKeyAgreement(with: P384.KeyAgreement.PublicKey(x963Representation: point))
            case .p521:
                try P521.KeyAgreement.PrivateKey(rawRepresentation: number)
                    .sharedSecretFromKeyAgreement(with: P521.KeyAgreement.PublicKey(x963Representation: point))
            case .x25519:
                try Curve25519.KeyAgreement.PrivateKey(rawRepresentation: number)
                    .sharedSecretFromKeyAgreement(with: Curve25519.KeyAgreement.PublicKey(rawRepresentation: point))
            case .ed25519:
                throw JoseError(.key, "Keys on Ed25519 are for signatures, not for key agreement.")
            }
        }
        // With a point of small order, every shared secret is zero (RFC 7748, section 6.1).
        guard secret.withUnsafeBytes({ $0.contains { $0 != 0 } }) else {
            throw JoseError(.key, "The public key of the other side has a small order.")
        }
        return secret
    }

    /// Generates a private key for decryption: RSA with 2048 bits, P-256, or a symmetric key.
    ///
    /// - Parameters:
    ///   - algorithm: The key management algorithm that the key is for.
    ///   - encryption: The content encryption that the key is for, with the algorithm `dir`.
    ///   - keyID: The key identifier (`kid`), if any.
    public static func generate(
        _ algorithm: KeyManagementAlgorithm,
        encryption: ContentEncryption = .a256gcm,
        keyID: String? = nil
    ) throws(JoseError) -> JsonWebKey {
        switch algorithm {
        case .rsaOaep, .rsaOaep256:
            guard let key = try? _RSA.Signing.PrivateKey(keySize: .bits2048) else {
                throw JoseError(.key, "The RSA key could not be generated.")
            }
            return try JsonWebKey(numbers: KeyNumbers.rsa(key), algorithm: algorithm, keyID: keyID)
        case .ecdhEs, .ecdhEsA128kw, .ecdhEsA192kw, .ecdhEsA256kw:
            return try JsonWebKey(numbers: KeyNumbers.ephemeral(on: .p256), algorithm: algorithm, keyID: keyID)
        case .a128kw, .a192kw, .a256kw, .direct:
            let length = algorithm.wrappingLength ?? encryption.keyLength
            let secret = SymmetricKey(size: SymmetricKeySize(bitCount: length * 8)).withUnsafeBytes { Data($0) }
            return JsonWebKey(numbers: KeyNumbers.symmetric(secret), algorithm: algorithm, keyID: keyID)
        }
    }

    /// Parses a private key for decryption in PEM: RSA (PKCS #8, PKCS #1), or elliptic curve (PKCS #8, SEC 1).
    public init(pem: String, algorithm: KeyManagementAlgorithm, keyID: String? = nil) throws(JoseError) {
        let numbers: [String: JsonValue]?
        switch algorithm {
        case .rsaOaep, .rsaOaep256:
            numbers = try (try? _RSA.Signing.PrivateKey(pemRepresentation: pem)).map { (key) throws(JoseError) in
                try KeyNumbers.rsa(key)
            }
        case .ecdhEs, .ecdhEsA128kw, .ecdhEsA192kw, .ecdhEsA256kw: numbers = KeyNumbers.curve(inPem: pem)
        case .a128kw, .a192kw, .a256kw, .direct: numbers = nil
        }
        guard let numbers else {
            throw JoseError(.key, "The PEM contains no private key for \(algorithm.rawValue) without a passphrase.")
        }
        self.init(numbers: numbers, algorithm: algorithm, keyID: keyID)
    }

    private init(numbers: [String: JsonValue], algorithm: KeyManagementAlgorithm, keyID: String?) {
        var members = numbers
        members["alg"] = .string(algorithm.rawValue)
        members["use"] = "enc"
        members["kid"] = keyID.map(JsonValue.string)
        self.init(members: members)
    }
}

extension KeyNumbers {
    /// Generates a key on a curve.
    static func ephemeral(on curve: EllipticCurve) throws(JoseError) -> [String: JsonValue] {
        switch curve {
        case .p256: p256(P256.Signing.PrivateKey())
        case .p384: p384(P384.Signing.PrivateKey())
        case .p521: p521(P521.Signing.PrivateKey())
        case .x25519: x25519(Curve25519.KeyAgreement.PrivateKey())
        case .ed25519: throw JoseError(.key, "Keys on Ed25519 are for signatures, not for key agreement.")
        }
    }

    /// Returns the members of a private key on any supported curve.
    static func curve(inPem pem: String) -> [String: JsonValue]? {
        if let key = try? P256.Signing.PrivateKey(pemRepresentation: pem) { return p256(key) }
        if let key = try? P384.Signing.PrivateKey(pemRepresentation: pem) { return p384(key) }
        if let key = try? P521.Signing.PrivateKey(pemRepresentation: pem) { return p521(key) }
        guard names(.x25519, inPem: pem) else { return nil }
        return (try? Curve25519.KeyAgreement.PrivateKey(pemRepresentation: pem)).map(x25519)
    }

    private static func x25519(_ key: Curve25519.KeyAgreement.PrivateKey) -> [String: JsonValue] {
        curve(.x25519, key.publicKey.rawRepresentation, key.rawRepresentation)
    }
}
