import Foundation

/// A value of CBOR (RFC 8949), encoded in the canonical form of CTAP2: with shortest lengths, definite lengths and sorted keys.
///
/// It has the types that authenticators send, and none else.
indirect enum CborValue: Sendable {
    case integer(Int64)
    case bytes(Data)
    case text(String)
    case map([(key: CborValue, value: CborValue)])

    /// The maximum length of an encoded value in bytes.
    static let maximumLength = 1 << 16
    private static let maximumDepth = 4

    /// Returns the encoded value.
    ///
    /// - Throws: ``AuthenticatorError`` with the reason ``AuthenticatorError/Reason/invalidRequest`` if it is too long or too deep.
    func encoded() throws(AuthenticatorError) -> Data {
        try encoded(depth: 0)
    }

    private func encoded(depth: Int) throws(AuthenticatorError) -> Data {
        let data: Data
        switch self {
        case .integer(let number) where number < 0: data = Self.head(1, UInt64(-1 - number))
        case .integer(let number): data = Self.head(0, UInt64(number))
        case .bytes(let bytes): data = Self.head(2, UInt64(bytes.count)) + bytes
        case .text(let text): data = Self.head(3, UInt64(text.utf8.count)) + Data(text.utf8)
        case .map(let pairs):
            guard depth < Self.maximumDepth else {
                throw AuthenticatorError(.invalidRequest, "the response has too many levels")
            }
            var encoded: [(key: Data, value: Data)] = []
            for pair in pairs {
                encoded.append((try pair.key.encoded(depth: depth + 1), try pair.value.encoded(depth: depth + 1)))
            }
            // Shorter keys come first, which the bytes of their heads ensure.
            encoded.sort { $0.key.lexicographicallyPrecedes($1.key) }
            data = encoded.reduce(into: Self.head(5, UInt64(pairs.count))) { $0 += $1.key + $1.value }
        }
        guard data.count <= Self.maximumLength else {
            throw AuthenticatorError(.invalidRequest, "the response is longer than \(Self.maximumLength) bytes")
        }
        return data
    }

    /// Returns the head of a value: its major type and its number or length.
    private static func head(_ type: UInt8, _ number: UInt64) -> Data {
        let type = type << 5
        if number < 24 { return Data([type | UInt8(number)]) }
        if number <= UInt8.max { return Data([type | 24, UInt8(number)]) }
        if let number = UInt16(exactly: number) { return Data([type | 25]) + bigEndian(number) }
        if let number = UInt32(exactly: number) { return Data([type | 26]) + bigEndian(number) }
        return Data([type | 27]) + bigEndian(number)
    }

    private static func bigEndian(_ number: some FixedWidthInteger) -> Data {
        withUnsafeBytes(of: number.bigEndian) { Data($0) }
    }
}
