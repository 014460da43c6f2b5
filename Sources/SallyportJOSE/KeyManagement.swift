import Crypto
import CryptoExtras
import Foundation

/// The key management algorithms, which determine the content encryption key (RFC 7518, section 4).
public enum KeyManagementAlgorithm: String, Sendable, Hashable, CaseIterable, Codable {
    /// RSAES-OAEP with SHA-1, for compatibility (section 4.3).
    case rsaOaep = "RSA-OAEP"
    /// RSAES-OAEP with SHA-256 (section 4.3).
    case rsaOaep256 = "RSA-OAEP-256"
    /// Key agreement with an ephemeral key. The result is the content encryption key (section 4.6).
    case ecdhEs = "ECDH-ES"
    /// Key agreement with an ephemeral key, and AES key wrap with 128 bits (section 4.6).
    case ecdhEsA128kw = "ECDH-ES+A128KW"
    /// Key agreement with an ephemeral key, and AES key wrap with 192 bits (section 4.6).
    case ecdhEsA192kw = "ECDH-ES+A192KW"
    /// Key agreement with an ephemeral key, and AES key wrap with 256 bits (section 4.6).
    case ecdhEsA256kw = "ECDH-ES+A256KW"
    /// AES key wrap with a shared key of 128 bits (section 4.4).
    case a128kw = "A128KW"
    /// AES key wrap with a shared key of 192 bits (section 4.4).
    case a192kw = "A192KW"
    /// AES key wrap with a shared key of 256 bits (section 4.4).
    case a256kw = "A256KW"
    /// A shared key is the content encryption key (section 4.5).
    case direct = "dir"

    /// The length in bytes of the key for AES key wrap; `nil` for algorithms without it.
    var wrappingLength: Int? {
        switch self {
        case .ecdhEsA128kw, .a128kw: 16
        case .ecdhEsA192kw, .a192kw: 24
        case .ecdhEsA256kw, .a256kw: 32
        case .rsaOaep, .rsaOaep256, .ecdhEs, .direct: nil
        }
    }

    /// Returns the values that the `alg` of a key may have. For `dir`, it may also be the content encryption algorithm.
    func allowedNames(with encryption: ContentEncryption) -> Set<String> {
        self == .direct ? [rawValue, encryption.rawValue] : [rawValue]
    }
}

/// Determines the content encryption key on both sides (RFC 7516, sections 5.1 and 5.2).
struct KeyManagement {
    let algorithm: KeyManagementAlgorithm
    let encryption: ContentEncryption
    /// The protected header. Encryption adds the ephemeral key to it.
    private(set) var header: [String: JsonValue]

    init(algorithm: KeyManagementAlgorithm, encryption: ContentEncryption, header: [String: JsonValue]) {
        self.algorithm = algorithm
        self.encryption = encryption
        self.header = header
    }

    // MARK: Decryption

    /// Returns the content encryption key.
    ///
    /// If the encrypted key cannot be unwrapped, the result is random, so that the decryption of the content fails as
    /// it does for any other reason (RFC 7516, section 11.5).
    func contentKey(unwrapping encryptedKey: Data, with key: JsonWebKey) throws(JoseError) -> SymmetricKey {
        switch algorithm {
        case .rsaOaep, .rsaOaep256:
            let key = try key.rsaDecryptionKey()
            return checked(try? SymmetricKey(data: key.decrypt(encryptedKey, padding: padding)))
        case .a128kw, .a192kw, .a256kw:
            return unwrapped(encryptedKey, with: try symmetricKey(key, count: algorithm.wrappingLength))
        case .direct:
            guard encryptedKey.isEmpty else { throw .cannotDecrypt }
            return try symmetricKey(key, count: encryption.keyLength)
        case .ecdhEs:
            guard encryptedKey.isEmpty else { throw .cannotDecrypt }
            return try derivedKey(with: sharedSecret(with: key))
        case .ecdhEsA128kw, .ecdhEsA192kw, .ecdhEsA256kw:
            return unwrapped(encryptedKey, with: try derivedKey(with: sharedSecret(with: key)))
        }
    }

    private func unwrapped(_ encryptedKey: Data, with key: SymmetricKey) -> SymmetricKey {
        checked(try? AES.KeyWrap.unwrap(encryptedKey, using: key))
    }

    private func checked(_ key: SymmetricKey?) -> SymmetricKey {
        let random = SymmetricKey(size: SymmetricKeySize(bitCount: encryption.keyLength * 8))
        guard let key, key.bitCount == random.bitCount else { return random }
        return key
    }

    private func sharedSecret(with key: JsonWebKey) throws(JoseError) -> SharedSecret {
        guard let ephemeral = header["epk"]?.object.map(JsonWebKey.init(members:)) else {
            throw JoseError(.malformed, "The header has no ephemeral key (epk).")
        }
        return try key.sharedSecret(with: ephemeral)
    }

    // MARK: Encryption

    /// Returns a new content encryption key, plain and encrypted to a recipient's key.
    mutating func newContentKey(wrappedTo key: JsonWebKey) throws(JoseError) -> (key: SymmetricKey, encrypted: Data) {
        let contentKey = SymmetricKey(size: SymmetricKeySize(bitCount: encryption.keyLength * 8))
        switch algorithm {
        case .rsaOaep, .rsaOaep256:
            let publicKey = try key.rsaPublicKey()
            let padding = padding
            let encrypted = try key.withKeyErrors {
                try _RSA.Encryption.PublicKey(derRepresentation: publicKey.derRepresentation)
                    .encrypt(contentKey.withUnsafeBytes { Data($0) }, padding: padding)
            }
            return (contentKey, encrypted)
        case .a128kw, .a192kw, .a256kw:
            let wrapping = try symmetricKey(key, count: algorithm.wrappingLength)
            return (contentKey, try key.withKeyErrors { try AES.KeyWrap.wrap(contentKey, using: wrapping) })
        case .direct:
            return (try symmetricKey(key, count: encryption.keyLength), Data())
        case .ecdhEs:
            return (try derivedKey(with: newSharedSecret(with: key)), Data())
        case .ecdhEsA128kw, .ecdhEsA192kw, .ecdhEsA256kw:
            let wrapping = try derivedKey(with: newSharedSecret(with: key))
            return (contentKey, try key.withKeyErrors { try AES.KeyWrap.wrap(contentKey, using: wrapping) })
        }
    }

    private mutating func newSharedSecret(with key: JsonWebKey) throws(JoseError) -> SharedSecret {
        let ephemeral = try JsonWebKey(members: KeyMembers.generated(on: key.agreementCurve))
        header["epk"] = .object(ephemeral.publicKey.members)
        return try ephemeral.sharedSecret(with: key)
    }

    // MARK: Key derivation

    private var padding: _RSA.Encryption.Padding { algorithm == .rsaOaep ? .PKCS1_OAEP : .PKCS1_OAEP_SHA256 }

    private func symmetricKey(_ key: JsonWebKey, count: Int?) throws(JoseError) -> SymmetricKey {
        guard try key.knownType == .symmetric else {
            throw JoseError(.key, "\(algorithm.rawValue) requires a symmetric key, and this key has another type.")
        }
        let secret = try key.bytes("k")
        guard secret.count == count else {
            throw JoseError(.key, "The symmetric key does not have the length that \(algorithm.rawValue) requires.")
        }
        return SymmetricKey(data: secret)
    }

    /// Derives a key with Concat KDF and SHA-256 (RFC 7518, section 4.6.2).
    private func derivedKey(with secret: SharedSecret) throws(JoseError) -> SymmetricKey {
        let length = algorithm.wrappingLength ?? encryption.keyLength
        let name = algorithm == .ecdhEs ? encryption.rawValue : algorithm.rawValue
        return ConcatKDF.deriveKey(
            from: secret,
            algorithm: name,
            partyU: try party("apu"),
            partyV: try party("apv"),
            byteCount: length
        )
    }

    private func party(_ name: String) throws(JoseError) -> Data {
        guard let value = header[name] else { return Data() }
        guard let text = value.string, let bytes = Base64Url.decode(text) else {
            let problem = value.string.map { Base64Url.problem(with: $0) } ?? "is not a string"
            throw JoseError(.malformed, "The header's \(name) \(problem).")
        }
        return bytes
    }
}
