/// The curves that are known (`crv`), and the size of their numbers.
enum EllipticCurve: String {
    case p256 = "P-256"
    case p384 = "P-384"
    case p521 = "P-521"
    case ed25519 = "Ed25519"
    case x25519 = "X25519"

    /// The bytes of a coordinate or a private number.
    var length: Int {
        switch self {
        case .p256, .ed25519, .x25519: 32
        case .p384: 48
        case .p521: 66
        }
    }

    /// Whether a point has both coordinates.
    var hasTwoCoordinates: Bool {
        switch self {
        case .p256, .p384, .p521: true
        case .ed25519, .x25519: false
        }
    }
}
