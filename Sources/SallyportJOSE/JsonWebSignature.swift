import Foundation

/// A signed text in its compact form (RFC 7515): three parts with dots between them. Until it is verified, nothing in it can be trusted.
public struct JsonWebSignature: Sendable {
    /// The protected header.
    public let header: [String: JsonValue]
    /// What is signed.
    public let payload: Data

    /// Reads the compact form, without verifying anything.
    public init(parsing text: String) throws(JoseError) { fatalError("stub") }

    /// `alg`, if it is one that is known; `none` is not.
    public var algorithm: SignatureAlgorithm? { header["alg"]?.string.flatMap(SignatureAlgorithm.init) }
    /// `kid`
    public var keyID: String? { header["kid"]?.string }

    /// The payload as an object of JSON.
    public func claims() throws(JoseError) -> [String: JsonValue] { fatalError("stub") }

    /// Checks that the key has signed it: the algorithm is allowed and the key's, `use`, `key_ops` and `kid` agree, no `crit`.
    public func verify(with key: JsonWebKey, allowing algorithms: Set<SignatureAlgorithm>) async throws(JoseError) {
        fatalError("stub")
    }

    /// Signs claims.
    ///
    /// - Parameters:
    ///   - claims: The payload.
    ///   - header: Members besides `alg` and `kid`, such as `typ`.
    ///   - key: The key that signs.
    /// - Returns: The compact form.
    public static func sign(
        _ claims: [String: JsonValue],
        header: [String: JsonValue] = [:],
        with key: SigningKey
    ) async throws(JoseError) -> String { fatalError("stub") }
}
