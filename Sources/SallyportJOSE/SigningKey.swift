import Crypto
import CryptoExtras
import Foundation

/// A private or symmetric key for signatures, with its algorithm and identifier. Its description does not contain the
/// key.
public struct SigningKey: Sendable, Equatable {
    /// The signature algorithm.
    public let algorithm: SignatureAlgorithm
    /// The key identifier (`kid`), if any.
    public let keyID: String?

    /// The members of the key, including the private ones unless ``hardware`` signs.
    private let members: [String: JsonValue]
    /// The signer of a key that does not reveal its private part.
    private let hardware: HardwareSigner?

    private init(
        members: [String: JsonValue],
        algorithm: SignatureAlgorithm,
        keyID: String?,
        hardware: HardwareSigner? = nil
    ) {
        self.members = members
        self.algorithm = algorithm
        self.keyID = keyID
        self.hardware = hardware
    }

    /// Creates a key for hardware, such as the Secure Enclave, that keeps the private part and makes the signatures.
    ///
    /// Such a key cannot be encoded: store what the hardware needs to find it.
    ///
    /// ```swift
    /// let key = try SigningKey(publicKey: publicKey, algorithm: .es256) { data in
    ///     try enclaveKey.signature(for: data).rawRepresentation
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - publicKey: The public key.
    ///   - algorithm: The signature algorithm, which must match the key and must not be symmetric.
    ///   - keyID: The key identifier, if any.
    ///   - sign: A closure that returns the signature of bytes in the format of RFC 7518, section 3. It is called on the thread of the
    ///     caller, possibly the main one, and must not wait for a person.
    /// - Throws: ``JoseError`` if the algorithm does not match the key.
    public init(
        publicKey: JsonWebKey,
        algorithm: SignatureAlgorithm,
        keyID: String? = nil,
        sign: @escaping @Sendable (Data) throws -> Data
    ) throws(JoseError) {
        let publicKey = publicKey.publicKey
        guard !algorithm.isSymmetric, publicKey.canVerify(algorithm) else {
            throw JoseError(.key, "The public key is not one for \(algorithm.rawValue).")
        }
        let names = try publicKey.knownType.requiredMembers
        self.init(
            members: publicKey.members.filter { names.contains($0.key) },
            algorithm: algorithm,
            keyID: keyID,
            hardware: HardwareSigner(sign: sign)
        )
    }

    /// Generates a key: a random secret for HMAC, an RSA key of 2048 bits, or a key on the curve of the algorithm.
    public static func generate(_ algorithm: SignatureAlgorithm, keyID: String? = nil) throws(JoseError) -> SigningKey {
        let members: [String: JsonValue]
        switch algorithm {
        case .hs256, .hs384, .hs512:
            let secret = SymmetricKey(size: SymmetricKeySize(bitCount: algorithm.digestLength * 8))
            members = KeyMembers.symmetric(secret.withUnsafeBytes { Data($0) })
        case .rs256, .rs384, .rs512, .ps256, .ps384, .ps512:
            guard let key = try? _RSA.Signing.PrivateKey(keySize: .bits2048) else {
                throw JoseError(.key, "The RSA key could not be generated.")
            }
            members = try KeyMembers.rsa(key)
        case .es256: members = KeyMembers.p256(P256.Signing.PrivateKey())
        case .es384: members = KeyMembers.p384(P384.Signing.PrivateKey())
        case .es512: members = KeyMembers.p521(P521.Signing.PrivateKey())
        case .edDSA: members = KeyMembers.ed25519(Curve25519.Signing.PrivateKey())
        }
        return SigningKey(members: members, algorithm: algorithm, keyID: keyID)
    }

    /// Parses a private key in PEM (PKCS #8, PKCS #1, SEC 1).
    public init(pem: String, algorithm: SignatureAlgorithm, keyID: String? = nil) throws(JoseError) {
        let members: [String: JsonValue]
        do {
            switch algorithm {
            case .hs256, .hs384, .hs512:
                throw JoseError(
                    .key,
                    "\(algorithm.rawValue) requires a symmetric key, for which there is no PEM format."
                )
            case .rs256, .rs384, .rs512, .ps256, .ps384, .ps512:
                members = try KeyMembers.rsa(_RSA.Signing.PrivateKey(pemRepresentation: pem))
            case .es256: members = try KeyMembers.p256(P256.Signing.PrivateKey(pemRepresentation: pem))
            case .es384: members = try KeyMembers.p384(P384.Signing.PrivateKey(pemRepresentation: pem))
            case .es512: members = try KeyMembers.p521(P521.Signing.PrivateKey(pemRepresentation: pem))
            case .edDSA:
                guard KeyMembers.isKey(inPem: pem, on: .ed25519) else {
                    throw JoseError(.key, "The PEM contains no private key on Ed25519.")
                }
                members = try KeyMembers.ed25519(Curve25519.Signing.PrivateKey(pemRepresentation: pem))
            }
        } catch let error as JoseError {
            throw error
        } catch {
            throw JoseError(.key, "The PEM contains no private key for \(algorithm.rawValue) without a passphrase.")
        }
        self.init(members: members, algorithm: algorithm, keyID: keyID)
    }

    /// Creates a signing key from a private or symmetric JSON Web Key.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - algorithm: The signature algorithm. The default is the key's `alg`; for a key without one, it is the
    ///     algorithm of the curve, HS256 for a symmetric key, or RS256 for an RSA key.
    public init(_ key: JsonWebKey, algorithm: SignatureAlgorithm? = nil) throws(JoseError) {
        let algorithm = if let algorithm { algorithm } else { try key.impliedAlgorithm }
        try key.check(use: "sig", operations: ["sign"], algorithms: [algorithm.rawValue])
        self.init(members: try key.signingMembers(for: algorithm), algorithm: algorithm, keyID: key.keyID)
    }

    /// Creates a symmetric key from a secret, which must be at least as long as the hash of the algorithm.
    public init(secret: Data, algorithm: SignatureAlgorithm = .hs256, keyID: String? = nil) throws(JoseError) {
        let key = JsonWebKey(members: KeyMembers.symmetric(secret))
        self.init(members: try key.signingMembers(for: algorithm), algorithm: algorithm, keyID: keyID)
    }

    /// The key with its private members: a secret; `nil` if hardware keeps the private part.
    public var privateJsonWebKey: JsonWebKey? { hardware == nil ? jsonWebKey : nil }

    /// The key with its members, without private ones if hardware keeps them.
    private var jsonWebKey: JsonWebKey {
        var members = members
        members["alg"] = .string(algorithm.rawValue)
        members["use"] = "sig"
        members["kid"] = keyID.map(JsonValue.string)
        return JsonWebKey(members: members)
    }

    /// The public key with `alg`, `use` and `kid`; `nil` for a symmetric key.
    public var publicJsonWebKey: JsonWebKey? {
        algorithm.keyType == .symmetric ? nil : jsonWebKey.publicKey
    }

    /// The same key without its identifier.
    var withoutKeyID: SigningKey {
        SigningKey(members: members, algorithm: algorithm, keyID: nil, hardware: hardware)
    }

    /// Returns the signature of bytes.
    func signature(of text: Data) throws(JoseError) -> Data {
        guard let hardware else { return try jsonWebKey.signature(of: text, by: algorithm) }
        guard let signature = try? hardware.sign(text) else { throw JoseError(.key, "The key cannot sign.") }
        return signature
    }
}

/// Signs with a key that does not reveal its private part.
///
/// Two of them are equal, because keys are compared by their members.
private struct HardwareSigner: Equatable, Sendable {
    let sign: @Sendable (Data) throws -> Data

    static func == (first: HardwareSigner, second: HardwareSigner) -> Bool { true }
}

extension SigningKey: Codable {
    /// Decodes a private JSON Web Key.
    public init(from decoder: any Decoder) throws { try self.init(JsonWebKey(from: decoder)) }

    /// Encodes the private JSON Web Key: a secret.
    ///
    /// - Throws: ``JoseError`` if hardware keeps the private part.
    public func encode(to encoder: any Encoder) throws {
        guard let privateJsonWebKey else {
            throw JoseError(.key, "The private key cannot be encoded, because hardware keeps it.")
        }
        try privateJsonWebKey.encode(to: encoder)
    }
}

extension SigningKey: CustomStringConvertible, CustomReflectable {
    /// The algorithm and the key identifier.
    public var description: String { "\(algorithm.rawValue) key" + (keyID.map { " \($0)" } ?? "") }

    /// The same as ``description``, so that `dump` prints no secret either.
    public var customMirror: Mirror { Mirror(self, children: ["key": description], displayStyle: .struct) }
}
