import Foundation

/// The supported curves (`crv`).
enum EllipticCurve: String {
    case p256 = "P-256"
    case p384 = "P-384"
    case p521 = "P-521"
    case ed25519 = "Ed25519"
    case x25519 = "X25519"

    /// The length of a coordinate or a private number in bytes.
    var length: Int {
        switch self {
        case .p256, .ed25519, .x25519: 32
        case .p384: 48
        case .p521: 66
        }
    }

    /// A Boolean value that indicates whether points are encoded with both coordinates.
    var hasTwoCoordinates: Bool {
        switch self {
        case .p256, .p384, .p521: true
        case .ed25519, .x25519: false
        }
    }
}

/// The points of Ed25519, as they are encoded (RFC 8032, section 5.1.2).
enum Ed25519Point {
    /// Returns a Boolean value that indicates whether 8 times the point is the neutral element, in any encoding.
    ///
    /// With such a point as its public key, a signature can be made for any message without a private key.
    static func hasSmallOrder(_ point: Data) -> Bool {
        guard let last = point.last else { return false }
        // The highest bit is the sign of x, which does not change the order.
        return smallOrder.contains(point.dropLast() + [last & 0x7F])
    }

    /// The y coordinates of the points of order 1, 2, 4 and 8 in little-endian, including encodings that are not
    /// reduced modulo p = 2^255 - 19.
    private static let smallOrder: Set<Data> = [
        y(first: 0x00, others: 0x00, last: 0x00),
        y(first: 0x01, others: 0x00, last: 0x00),
        y(first: 0xEC, others: 0xFF, last: 0x7F),
        // p and p + 1
        y(first: 0xED, others: 0xFF, last: 0x7F),
        y(first: 0xEE, others: 0xFF, last: 0x7F),
        Data([
            0x26, 0xE8, 0x95, 0x8F, 0xC2, 0xB2, 0x27, 0xB0, 0x45, 0xC3, 0xF4, 0x89, 0xF2, 0xEF, 0x98, 0xF0,
            0xD5, 0xDF, 0xAC, 0x05, 0xD3, 0xC6, 0x33, 0x39, 0xB1, 0x38, 0x02, 0x88, 0x6D, 0x53, 0xFC, 0x05,
        ]),
        Data([
            0xC7, 0x17, 0x6A, 0x70, 0x3D, 0x4D, 0xD8, 0x4F, 0xBA, 0x3C, 0x0B, 0x76, 0x0D, 0x10, 0x67, 0x0F,
            0x2A, 0x20, 0x53, 0xFA, 0x2C, 0x39, 0xCC, 0xC6, 0x4E, 0xC7, 0xFD, 0x77, 0x92, 0xAC, 0x03, 0x7A,
        ]),
    ]

    private static func y(first: UInt8, others: UInt8, last: UInt8) -> Data {
        Data([first]) + Data(repeating: others, count: 30) + [last]
    }
}
