/// The kinds of keys (`kty`) that are known.
enum KeyType: String {
    case rsa = "RSA"
    case ellipticCurve = "EC"
    case octetPair = "OKP"
    case symmetric = "oct"

    /// The members that make the key, and so its thumbprint (RFC 7638, section 3.2; RFC 8037, section 2).
    var requiredMembers: [String] {
        switch self {
        case .rsa: ["e", "kty", "n"]
        case .ellipticCurve: ["crv", "kty", "x", "y"]
        case .octetPair: ["crv", "kty", "x"]
        case .symmetric: ["k", "kty"]
        }
    }

    /// The members that nobody else may see.
    static let privateMembers: Set<String> = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"]
}
