import Crypto
import CryptoExtras
import Foundation
import JWTKit

/// A private or symmetric key that signs, with its algorithm and its name. It is not shown when printed.
public struct SigningKey: Sendable, Equatable {
    /// How it signs.
    public let algorithm: SignatureAlgorithm
    /// `kid`, if it has a name.
    public let keyID: String?

    /// The members that make the key, private ones included.
    private let numbers: [String: JsonValue]

    private init(numbers: [String: JsonValue], algorithm: SignatureAlgorithm, keyID: String?) {
        self.numbers = numbers
        self.algorithm = algorithm
        self.keyID = keyID
    }

    /// A new key: HMAC, RSA of 2048 bits, the curve of the algorithm.
    public static func generate(_ algorithm: SignatureAlgorithm, keyID: String? = nil) throws(JoseError) -> SigningKey {
        let numbers: [String: JsonValue]
        switch algorithm {
        case .hs256, .hs384, .hs512:
            let secret = SymmetricKey(size: SymmetricKeySize(bitCount: algorithm.digestLength * 8))
            numbers = KeyNumbers.symmetric(secret.withUnsafeBytes { Data($0) })
        case .rs256, .rs384, .rs512, .ps256, .ps384, .ps512:
            guard let key = try? _RSA.Signing.PrivateKey(keySize: .bits2048) else {
                throw JoseError(.key, "No key of RSA could be made.")
            }
            numbers = try KeyNumbers.rsa(key)
        case .es256: numbers = KeyNumbers.p256(P256.Signing.PrivateKey())
        case .es384: numbers = KeyNumbers.p384(P384.Signing.PrivateKey())
        case .es512: numbers = KeyNumbers.p521(P521.Signing.PrivateKey())
        case .edDSA: numbers = KeyNumbers.ed25519(Curve25519.Signing.PrivateKey())
        }
        return SigningKey(numbers: numbers, algorithm: algorithm, keyID: keyID)
    }

    /// Reads a private key in PEM (PKCS #8, PKCS #1, SEC 1).
    public init(pem: String, algorithm: SignatureAlgorithm, keyID: String? = nil) throws(JoseError) {
        let numbers: [String: JsonValue]
        do {
            switch algorithm {
            case .hs256, .hs384, .hs512:
                throw JoseError(.key, "\(algorithm.rawValue) takes a symmetric key, and none is written in PEM.")
            case .rs256, .rs384, .rs512, .ps256, .ps384, .ps512:
                numbers = try KeyNumbers.rsa(_RSA.Signing.PrivateKey(pemRepresentation: pem))
            case .es256: numbers = try KeyNumbers.p256(P256.Signing.PrivateKey(pemRepresentation: pem))
            case .es384: numbers = try KeyNumbers.p384(P384.Signing.PrivateKey(pemRepresentation: pem))
            case .es512: numbers = try KeyNumbers.p521(P521.Signing.PrivateKey(pemRepresentation: pem))
            case .edDSA:
                guard KeyNumbers.names(.ed25519, inPem: pem) else {
                    throw JoseError(.key, "The PEM holds no private key on Ed25519.")
                }
                numbers = try KeyNumbers.ed25519(Curve25519.Signing.PrivateKey(pemRepresentation: pem))
            }
        } catch let error as JoseError {
            throw error
        } catch {
            throw JoseError(.key, "The PEM holds no private key for \(algorithm.rawValue) without a passphrase.")
        }
        self.init(numbers: numbers, algorithm: algorithm, keyID: keyID)
    }

    /// Reads a private or symmetric key in JSON.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - algorithm: How it signs, if the key does not say it itself; otherwise its curve decides, or HS256 and RS256 are taken.
    public init(_ key: JsonWebKey, algorithm: SignatureAlgorithm? = nil) throws(JoseError) {
        let algorithm = if let algorithm { algorithm } else { try key.impliedAlgorithm }
        try key.check(use: "sig", operations: ["sign"], algorithms: [algorithm.rawValue])
        self.init(numbers: try key.signingNumbers(for: algorithm), algorithm: algorithm, keyID: key.keyID)
    }

    /// A symmetric key.
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

    /// The key that verifies, with `alg`, `use` and `kid`; `nil` for a symmetric key.
    public var publicJsonWebKey: JsonWebKey? {
        algorithm.keyType == .symmetric ? nil : privateJsonWebKey.publicKey
    }

    /// The same key without its name.
    var unnamed: SigningKey { SigningKey(numbers: numbers, algorithm: algorithm, keyID: nil) }

    /// What signs with it.
    func signer() async throws(JoseError) -> any JWTAlgorithm { try await privateJsonWebKey.signer(for: algorithm) }
}

extension SigningKey: Codable {
    /// Reads the private key in JSON.
    public init(from decoder: any Decoder) throws { try self.init(JsonWebKey(from: decoder)) }

    /// Writes the private key in JSON: a secret.
    public func encode(to encoder: any Encoder) throws { try privateJsonWebKey.encode(to: encoder) }
}

extension SigningKey: CustomStringConvertible, CustomReflectable {
    /// Its algorithm and its name.
    public var description: String { "\(algorithm.rawValue) key" + (keyID.map { " \($0)" } ?? "") }

    /// The same as ``description``, so that dumping shows no secret either.
    public var customMirror: Mirror { Mirror(self, children: ["key": description], displayStyle: .struct) }
}
