/// How the key of the content is agreed on (RFC 7518, section 4).
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

    /// The bytes of the key that wraps the content's; `nil` where none does.
    var wrappingLength: Int? {
        switch self {
        case .ecdhEsA128kw, .a128kw: 16
        case .ecdhEsA192kw, .a192kw: 24
        case .ecdhEsA256kw, .a256kw: 32
        case .rsaOaep, .rsaOaep256, .ecdhEs, .direct: nil
        }
    }

    /// What a key may state as its `alg`: a key of the content itself may name the content's algorithm.
    func names(with encryption: ContentEncryption) -> Set<String> {
        self == .direct ? [rawValue, encryption.rawValue] : [rawValue]
    }
}
