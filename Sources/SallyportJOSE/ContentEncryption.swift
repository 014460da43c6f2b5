/// How the content is encrypted (RFC 7518, section 5).
public enum ContentEncryption: String, Sendable, Hashable, CaseIterable, Codable {
    case a128gcm = "A128GCM"
    case a192gcm = "A192GCM"
    case a256gcm = "A256GCM"
    case a128cbcHs256 = "A128CBC-HS256"
    case a192cbcHs384 = "A192CBC-HS384"
    case a256cbcHs512 = "A256CBC-HS512"

    /// The bytes of its key.
    var keyLength: Int {
        switch self {
        case .a128gcm: 16
        case .a192gcm: 24
        case .a256gcm, .a128cbcHs256: 32
        case .a192cbcHs384: 48
        case .a256cbcHs512: 64
        }
    }
}
