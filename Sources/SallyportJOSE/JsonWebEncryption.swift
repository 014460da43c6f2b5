import Foundation

/// An encrypted text in its compact form (RFC 7516): RSA-OAEP(-256), ECDH-ES (with or without AES key wrap) and `dir`, with AES-GCM.
public struct JsonWebEncryption: Sendable {
    /// The protected header.
    public let header: [String: JsonValue]

    /// Reads the compact form, without decrypting anything.
    public init(parsing text: String) throws(JoseError) { fatalError("stub") }

    /// Decrypts it with a private (or symmetric) key; `alg` and `enc` have to be among those allowed.
    public func decrypt(
        with key: JsonWebKey,
        allowing algorithms: Set<KeyManagementAlgorithm> = Set(KeyManagementAlgorithm.allCases)
    ) throws(JoseError) -> Data { fatalError("stub") }

    /// Encrypts bytes to a public (or symmetric) key.
    public static func encrypt(
        _ plaintext: Data,
        to key: JsonWebKey,
        algorithm: KeyManagementAlgorithm,
        encryption: ContentEncryption = .a256gcm,
        header: [String: JsonValue] = [:]
    ) throws(JoseError) -> String { fatalError("stub") }
}

/// How the key of the content is agreed on (RFC 7518, section 4).
public enum KeyManagementAlgorithm: String, Sendable, Hashable, CaseIterable, Codable {
    case rsaOaep = "RSA-OAEP"
    case rsaOaep256 = "RSA-OAEP-256"
    case ecdhEs = "ECDH-ES"
    case ecdhEsA128kw = "ECDH-ES+A128KW"
    case ecdhEsA256kw = "ECDH-ES+A256KW"
    case direct = "dir"
}

/// How the content is encrypted (RFC 7518, section 5.3).
public enum ContentEncryption: String, Sendable, Hashable, CaseIterable, Codable {
    case a128gcm = "A128GCM"
    case a192gcm = "A192GCM"
    case a256gcm = "A256GCM"
}
