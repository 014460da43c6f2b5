/// The key management algorithms, which determine the content encryption key (RFC 7518, section 4).
public enum KeyManagementAlgorithm: String, Sendable, Hashable, CaseIterable, Codable {
    case rsaOaep = "RSA-OAEP"
    case rsaOaep256 = "RSA-OAEP-256"
    case ecdhEs = "ECDH-ES"
    case ecdhEsA128kw = "ECDH-ES+A128KW"
    case ecdhEsA192kw = "ECDH-ES+A192KW"
    case ecdhEsA256kw = "ECDH-ES+A256KW"
    case a128kw = "A128KW"
    case a192kw = "A192KW"
    case a256kw = "A256KW"
    case direct = "dir"

    /// The length of the key that wraps the content encryption key in bytes; `nil` if none does.
    var wrappingLength: Int? {
        switch self {
        case .ecdhEsA128kw, .a128kw: 16
        case .ecdhEsA192kw, .a192kw: 24
        case .ecdhEsA256kw, .a256kw: 32
        case .rsaOaep, .rsaOaep256, .ecdhEs, .direct: nil
        }
    }

    /// Returns the allowed values of a key's `alg`. A direct key may name the content encryption instead.
    func names(with encryption: ContentEncryption) -> Set<String> {
        self == .direct ? [rawValue, encryption.rawValue] : [rawValue]
    }
}
