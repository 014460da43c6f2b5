import Foundation

/// A private or symmetric key that signs, with its algorithm and its name. It is not shown when printed.
public struct SigningKey: Sendable, Equatable {
    /// How it signs.
    public let algorithm: SignatureAlgorithm
    /// `kid`, if it has a name.
    public let keyID: String?

    /// A new key: HMAC, RSA of 2048 bits, the curve of the algorithm.
    public static func generate(_ algorithm: SignatureAlgorithm, keyID: String? = nil) throws(JoseError) -> SigningKey {
        fatalError("stub")
    }

    /// Reads a private key in PEM (PKCS #8, PKCS #1, SEC 1).
    public init(pem: String, algorithm: SignatureAlgorithm, keyID: String? = nil) throws(JoseError) {
        fatalError("stub")
    }

    /// Reads a private or symmetric key in JSON.
    public init(_ key: JsonWebKey, algorithm: SignatureAlgorithm? = nil) throws(JoseError) { fatalError("stub") }

    /// A symmetric key.
    public init(secret: Data, algorithm: SignatureAlgorithm = .hs256, keyID: String? = nil) throws(JoseError) {
        fatalError("stub")
    }

    /// The key with its private members: a secret.
    public var privateJsonWebKey: JsonWebKey { fatalError("stub") }

    /// The key that verifies, with `alg`, `use` and `kid`; `nil` for a symmetric key.
    public var publicJsonWebKey: JsonWebKey? { fatalError("stub") }
}

extension SigningKey: Codable {
    public init(from decoder: any Decoder) throws { fatalError("stub") }
    public func encode(to encoder: any Encoder) throws { fatalError("stub") }
}
