import Foundation

/// A CBOR value (RFC 8949) of the kinds that attestation objects and COSE keys consist of. Values of indefinite length, tags and
/// floating-point numbers are refused, as CTAP 2 does.
enum CborValue: Sendable, Equatable {
    case integer(Int64)
    case bytes(Data)
    case text(String)
    case array([CborValue])
    case map([(key: CborValue, value: CborValue)])
    case bool(Bool)
    case null

    private static let maximumDepth = 8

    var bytes: Data? { if case .bytes(let value) = self { value } else { nil } }
    var text: String? { if case .text(let value) = self { value } else { nil } }
    var integer: Int64? { if case .integer(let value) = self { value } else { nil } }

    /// Returns the value of a key of a map.
    subscript(_ key: CborValue) -> CborValue? {
        guard case .map(let pairs) = self else { return nil }
        return pairs.first { $0.key == key }?.value
    }

    subscript(_ key: String) -> CborValue? { self[.text(key)] }

    /// Decodes the value at the beginning of some data, and removes it from the data.
    ///
    /// - Returns: `nil` if the data is not a value, or a map repeats a key.
    static func decode(_ data: inout Data) -> CborValue? { decode(&data, depth: 0) }

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

    static func == (first: CborValue, second: CborValue) -> Bool {
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
