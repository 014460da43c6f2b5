import Foundation

/// An encrypted message in compact serialization (JWE, RFC 7516).
///
/// The key management algorithms are RSA-OAEP(-256), ECDH-ES (with or without AES key wrap), AES key wrap and `dir`;
/// the content is encrypted with AES-GCM, or AES-CBC and HMAC.
public struct JsonWebEncryption: Sendable {
    /// The protected header.
    public let header: [String: JsonValue]

    private let encryptedKey: Data
    private let content: EncryptedContent

    /// Parses a compact serialization without decrypting it.
    public init(parsing text: String) throws(JoseError) {
        let compact = try CompactText(text, parts: 5, kind: "encrypted message")
        header = compact.header
        encryptedKey = compact.parts[1]
        content = EncryptedContent(
            nonce: compact.parts[2],
            ciphertext: compact.parts[3],
            tag: compact.parts[4],
            authenticated: Data(compact.texts[0].utf8)
        )
    }

    /// The key management algorithm (`alg`), if it is supported.
    public var algorithm: KeyManagementAlgorithm? { header["alg"]?.string.flatMap(KeyManagementAlgorithm.init) }
    /// The content encryption algorithm (`enc`), if it is supported.
    public var encryption: ContentEncryption? { header["enc"]?.string.flatMap(ContentEncryption.init) }
    /// The identifier of the key (`kid`).
    public var keyID: String? { header["kid"]?.string }

    /// Decrypts the message with a private or symmetric key. `alg` and `enc` must be among the allowed algorithms.
    ///
    /// If the encrypted key or the content cannot be decrypted, the error has the reason
    /// ``JoseError/Reason/decryption`` for every cause, so that it does not reveal which step failed. An invalid
    /// header, an algorithm that is not allowed, and a key that cannot be used have other reasons.
    public func decrypt(
        with key: JsonWebKey,
        allowing algorithms: Set<KeyManagementAlgorithm> = Set(KeyManagementAlgorithm.allCases),
        encryptions: Set<ContentEncryption> = Set(ContentEncryption.allCases)
    ) throws(JoseError) -> Data {
        try header.refuseExtensions()
        guard header["zip"] == nil else {
            throw JoseError(.critical, "The content is compressed (zip), which is not supported.")
        }
        guard let algorithm, algorithms.contains(algorithm) else {
            throw JoseError(
                .algorithm,
                "The key management algorithm is not allowed (alg)."
            )
        }
        guard let encryption, encryptions.contains(encryption) else {
            throw JoseError(.algorithm, "The content encryption algorithm is not allowed (enc).")
        }
        guard header["kid"] == nil || key.keyID == nil || header["kid"]?.string == key.keyID else {
            throw JoseError(.key, "The message is encrypted to another key (kid).")
        }
        try key.check(
            use: "enc",
            operations: ["decrypt", "unwrapKey", "deriveKey", "deriveBits"],
            algorithms: algorithm.allowedNames(with: encryption)
        )
        let keyManagement = KeyManagement(algorithm: algorithm, encryption: encryption, header: header)
        let contentKey = try keyManagement.contentKey(unwrapping: encryptedKey, with: key)
        return try encryption.open(content, with: contentKey)
    }

    /// Encrypts bytes to a public or symmetric key.
    public static func encrypt(
        _ plaintext: Data,
        to key: JsonWebKey,
        algorithm: KeyManagementAlgorithm,
        encryption: ContentEncryption = .a256gcm,
        header: [String: JsonValue] = [:]
    ) throws(JoseError) -> String {
        try header.refuseExtensions()
        guard header["zip"] == nil else { throw JoseError(.critical, "Compression (zip) is not supported.") }
        guard plaintext.count <= CompactText.maximumLength / 2 else {
            throw JoseError(.tooLarge, "The content is longer than \(CompactText.maximumLength / 2) bytes.")
        }
        try key.check(
            use: "enc",
            operations: ["encrypt", "wrapKey", "deriveKey", "deriveBits"],
            algorithms: algorithm.allowedNames(with: encryption)
        )
        var header = header
        header["alg"] = .string(algorithm.rawValue)
        header["enc"] = .string(encryption.rawValue)
        header["kid"] = key.keyID.map(JsonValue.string) ?? header["kid"]
        var keyManagement = KeyManagement(algorithm: algorithm, encryption: encryption, header: header)
        let (contentKey, encryptedKey) = try keyManagement.newContentKey(wrappedTo: key)
        let protected = try Base64Url.encode(keyManagement.header.json())
        let content = try encryption.seal(plaintext, authenticating: Data(protected.utf8), with: contentKey)
        let parts = [encryptedKey, content.nonce, content.ciphertext, content.tag]
        return ([protected] + parts.map { Base64Url.encode($0) }).joined(separator: ".")
    }
}
