import Crypto
import CryptoExtras
import Foundation
import JWTKit

/// A private or symmetric key for signatures, with its algorithm and identifier. Its description does not contain the key.
public struct SigningKey: Sendable, Equatable {
    /// The signature algorithm.
    public let algorithm: SignatureAlgorithm
    /// The key identifier (`kid`), if any.
    public let keyID: String?

    /// The members of the key, private ones included.
    private let numbers: [String: JsonValue]

    private init(numbers: [String: JsonValue], algorithm: SignatureAlgorithm, keyID: String?) {
        self.numbers = numbers
        self.algorithm = algorithm
        self.keyID = keyID
    }

    /// Generates a key: a secret for HMAC, RSA with 2048 bits, or a key on the curve of the algorithm.
    public static func generate(_ algorithm: SignatureAlgorithm, keyID: String? = nil) throws(JoseError) -> SigningKey {
        let numbers: [String: JsonValue]
        switch algorithm {
        case .hs256, .hs384, .hs512:
            let secret = SymmetricKey(size: SymmetricKeySize(bitCount: algorithm.digestLength * 8))
            numbers = KeyNumbers.symmetric(secret.withUnsafeBytes { Data($0) })
        case .rs256, .rs384, .rs512, .ps256, .ps384, .ps512:
            guard let key = try? _RSA.Signing.PrivateKey(keySize: .bits2048) else {
                throw JoseError(.key, "The RSA key could not be generated.")
            }
            numbers = try KeyNumbers.rsa(key)
        case .es256: numbers = KeyNumbers.p256(P256.Signing.PrivateKey())
        case .es384: numbers = KeyNumbers.p384(P384.Signing.PrivateKey())
        case .es512: numbers = KeyNumbers.p521(P521.Signing.PrivateKey())
        case .edDSA: numbers = KeyNumbers.ed25519(Curve25519.Signing.PrivateKey())
        }
        return SigningKey(numbers: numbers, algorithm: algorithm, keyID: keyID)
    }

    /// Parses a private key in PEM (PKCS #8, PKCS #1, SEC 1).
    public init(pem: String, algorithm: SignatureAlgorithm, keyID: String? = nil) throws(JoseError) {
        let numbers: [String: JsonValue]
        do {
            switch algorithm {
            case .hs256, .hs384, .hs512:
                throw JoseError(
                    .key,
                    "\(algorithm.rawValue) requires a symmetric key, for which there is no PEM format."
                )
            case .rs256, .rs384, .rs512, .ps256, .ps384, .ps512:
                numbers = try KeyNumbers.rsa(_RSA.Signing.PrivateKey(pemRepresentation: pem))
            case .es256: numbers = try KeyNumbers.p256(P256.Signing.PrivateKey(pemRepresentation: pem))
            case .es384: numbers = try KeyNumbers.p384(P384.Signing.PrivateKey(pemRepresentation: pem))
            case .es512: numbers = try KeyNumbers.p521(P521.Signing.PrivateKey(pemRepresentation: pem))
            case .edDSA:
                guard KeyNumbers.names(.ed25519, inPem: pem) else {
                    throw JoseError(.key, "The PEM contains no private key on Ed25519.")
                }
                numbers = try KeyNumbers.ed25519(Curve25519.Signing.PrivateKey(pemRepresentation: pem))
            }
        } catch let error as JoseError {
            throw error
        } catch {
            throw JoseError(.key, "The PEM contains no private key for \(algorithm.rawValue) without a passphrase.")
        }
        self.init(numbers: numbers, algorithm: algorithm, keyID: keyID)
    }

    /// Creates a signing key from a private or symmetric JSON Web Key.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - algorithm: The signature algorithm; by default the `alg` of the key, or else that of its curve, HS256 or RS256.
    public init(_ key: JsonWebKey, algorithm: SignatureAlgorithm? = nil) throws(JoseError) {
        let algorithm = if let algorithm { algorithm } else { try key.impliedAlgorithm }
        try key.check(use: "sig", operations: ["sign"], algorithms: [algorithm.rawValue])
        self.init(numbers: try key.signingNumbers(for: algorithm), algorithm: algorithm, keyID: key.keyID)
    }

    /// Creates a symmetric key.
    public init(secret: Data, algorithm: SignatureAlgorithm = .hs256, keyID: String? = nil) throws(JoseError) {
        let key = JsonWebKey(members: KeyNumbers.symmetric(secret))
        self.init(numbers: try key.signingNumbers(for: algorithm), algorithm: algorithm, keyID: keyID)
    }

    /// The key with its private members: a secret.
    public var privateJsonWebKey: JsonWebKey {
        var members = numbers
        members["alg"] = .string(algorithm.rawValue)
        members["use"] = "sig"
        members["kid"] = keyID.map(JsonValue.string)
        return JsonWebKey(members: members)
    }

    /// The public key with `alg`, `use` and `kid`; `nil` for a symmetric key.
    public var publicJsonWebKey: JsonWebKey? {
        algorithm.keyType == .symmetric ? nil : privateJsonWebKey.publicKey
    }

    /// The same key without its identifier.
    var unnamed: SigningKey { SigningKey(numbers: numbers, algorithm: algorithm, keyID: nil) }

    /// Returns a signer for this key.
    func signer() async throws(JoseError) -> any JWTAlgorithm { try await privateJsonWebKey.signer(for: algorithm) }
}

extension SigningKey: Codable {
    /// Decodes a private JSON Web Key.
    public init(from decoder: any Decoder) throws { try self.init(JsonWebKey(from: decoder)) }

    /// Encodes the private JSON Web Key: a secret.
    public func encode(to encoder: any Encoder) throws { try privateJsonWebKey.encode(to: encoder) }
}

extension SigningKey: CustomStringConvertible, CustomReflectable {
    /// The algorithm and the key identifier.
    public var description: String { "\(algorithm.rawValue) key" + (keyID.map { " \($0)" } ?? "") }

    /// The same as ``description``, so that `dump` prints no secret either.
    public var customMirror: Mirror { Mirror(self, children: ["key": description], displayStyle: .struct) }
}
