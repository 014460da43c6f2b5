import Foundation

/// A CBOR value (RFC 8949) of the kinds that attestation objects and COSE keys consist of.
package enum CborValue: Sendable, Equatable {
    case integer(Int64)
    case bytes(Data)
    case text(String)
    case array([CborValue])
    case map([(key: CborValue, value: CborValue)])
    case bool(Bool)
    case null

    package var bytes: Data? { if case .bytes(let value) = self { value } else { nil } }
    package var text: String? { if case .text(let value) = self { value } else { nil } }
    package var integer: Int64? { if case .integer(let value) = self { value } else { nil } }

    /// Returns the value of a key of a map.
    package subscript(_ key: CborValue) -> CborValue? {
        guard case .map(let pairs) = self else { return nil }
        return pairs.first { $0.key == key }?.value
    }

    package subscript(_ key: String) -> CborValue? { self[.text(key)] }

    // MARK: Encoding

    /// Returns the encoded value in the canonical form of CTAP2: with shortest lengths, definite lengths and sorted keys.
    package func encoded() -> Data {
        switch self {
        case .integer(let number) where number < 0: return Self.head(1, UInt64(-1 - number))
        case .integer(let number): return Self.head(0, UInt64(number))
        case .bytes(let bytes): return Self.head(2, UInt64(bytes.count)) + bytes
        case .text(let text): return Self.head(3, UInt64(text.utf8.count)) + Data(text.utf8)
        case .array(let elements):
            return elements.reduce(into: Self.head(4, UInt64(elements.count))) { $0 += $1.encoded() }
        case .map(let pairs):
            var encoded = pairs.map { (key: $0.key.encoded(), value: $0.value.encoded()) }
            // Shorter keys come first, which the bytes of their heads ensure.
            encoded.sort { $0.key.lexicographicallyPrecedes($1.key) }
            return encoded.reduce(into: Self.head(5, UInt64(pairs.count))) { $0 += $1.key + $1.value }
        case .bool(let value): return Self.head(7, value ? 21 : 20)
        case .null: return Self.head(7, 22)
        }
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

    // MARK: Decoding

    private static let maximumDepth = 8

    /// Decodes the value at the beginning of some data, and removes it from the data.
    ///
    /// Values of indefinite length, tags and floating-point numbers are refused, as CTAP2 does.
    ///
    /// - Returns: `nil` if the data is not a value, or a map repeats a key.
    package static func decode(_ data: inout Data) -> CborValue? { decode(&data, depth: 0) }

    private static func decode(_ data: inout Data, depth: Int) -> CborValue? {
        guard depth < maximumDepth, let first = data.popFirst() else { return nil }
        let kind = first >> 5
        let information = first & 0x1F
        guard let argument = argument(information, &data), kind != 7 || information < 24 else { return nil }
        switch kind {
        case 0: return Int64(exactly: argument).map { .integer($0) }
        case 1: return Int64(exactly: argument).map { .integer(-1 - $0) }
        case 2: return prefix(argument, of: &data).map { .bytes($0) }
        case 3: return prefix(argument, of: &data).flatMap { String(data: $0, encoding: .utf8) }.map { .text($0) }
        case 4: return array(argument, &data, depth: depth)
        case 5: return map(argument, &data, depth: depth)
        case 7 where argument == 20 || argument == 21: return .bool(argument == 21)
        case 7 where argument == 22: return .null
        default: return nil
        }
    }

    /// Reads the argument after the first byte of a value (RFC 8949, section 3).
    private static func argument(_ information: UInt8, _ data: inout Data) -> UInt64? {
        switch information {
        case 0..<24: UInt64(information)
        case 24...27:
            prefix(1 << UInt64(information - 24), of: &data)?.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        default: nil
        }
    }

    private static func prefix(_ count: UInt64, of data: inout Data) -> Data? {
        guard count <= data.count else { return nil }
        let prefix = Data(data.prefix(Int(count)))
        data = data.dropFirst(Int(count))
        return prefix
    }

    // Each element has at least one byte, so the number of elements is limited by the length of the data.
    private static func array(_ count: UInt64, _ data: inout Data, depth: Int) -> CborValue? {
        guard count <= data.count else { return nil }
        var elements: [CborValue] = []
        for _ in 0..<count {
            guard let element = decode(&data, depth: depth + 1) else { return nil }
            elements.append(element)
        }
        return .array(elements)
    }

    private static func map(_ count: UInt64, _ data: inout Data, depth: Int) -> CborValue? {
        guard count <= 64 else { return nil }
        var pairs: [(key: CborValue, value: CborValue)] = []
        for _ in 0..<count {
            guard let key = decode(&data, depth: depth + 1), let value = decode(&data, depth: depth + 1),
                !pairs.contains(where: { $0.key == key })
            else { return nil }
            pairs.append((key, value))
        }
        return .map(pairs)
    }

    package static func == (first: CborValue, second: CborValue) -> Bool {
        switch (first, second) {
        case (.integer(let first), .integer(let second)): first == second
        case (.bytes(let first), .bytes(let second)): first == second
        case (.text(let first), .text(let second)): first.utf8.elementsEqual(second.utf8)
        case (.array(let first), .array(let second)): first == second
        case (.map(let first), .map(let second)):
            first.count == second.count && zip(first, second).allSatisfy { $0.key == $1.key && $0.value == $1.value }
        case (.bool(let first), .bool(let second)): first == second
        case (.null, .null): true
        default: false
        }
    }
}
