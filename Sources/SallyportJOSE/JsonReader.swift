import Foundation

/// Parses JSON more strictly than `JSONDecoder`: objects with duplicate members are refused, as different parsers may use
/// different ones, and the nesting depth is limited.
struct JsonReader {
    private static let maximumDepth = 32

    private let bytes: [UInt8]
    private let refusesDuplicates: Bool
    private var position = 0

    private init(_ bytes: [UInt8], refusesDuplicates: Bool) {
        self.bytes = bytes
        self.refusesDuplicates = refusesDuplicates
    }

    /// Parses an object.
    ///
    /// - Returns: `nil` if the data is not an object, or if anything follows it.
    static func object(_ data: Data, refusingDuplicates: Bool = true) -> [String: JsonValue]? {
        guard String(data: data, encoding: .utf8) != nil else { return nil }
        var reader = JsonReader([UInt8](data), refusesDuplicates: refusingDuplicates)
        reader.skipSpace()
        guard let value = reader.value(depth: 0), case .object(let members) = value else { return nil }
        reader.skipSpace()
        return reader.position == reader.bytes.count ? members : nil
    }

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { position += 1 }
    }

    private mutating func take(_ byte: Character) -> Bool {
        guard let next, next == byte.asciiValue else { return false }
        position += 1
        return true
    }

    private mutating func take(word: String) -> Bool {
        guard bytes[position...].starts(with: word.utf8) else { return false }
        position += word.utf8.count
        return true
    }

    private mutating func value(depth: Int) -> JsonValue? {
        guard depth < Self.maximumDepth, let next else { return nil }
        switch next {
        case UInt8(ascii: "{"): return object(depth: depth)
        case UInt8(ascii: "["): return array(depth: depth)
        case UInt8(ascii: "\""): return string().map(JsonValue.string)
        case UInt8(ascii: "t"): return take(word: "true") ? .bool(true) : nil
        case UInt8(ascii: "f"): return take(word: "false") ? .bool(false) : nil
        case UInt8(ascii: "n"): return take(word: "null") ? .null : nil
        default: return number()
        }
    }

    private mutating func object(depth: Int) -> JsonValue? {
        guard take("{") else { return nil }
        var members: [String: JsonValue] = [:]
        skipSpace()
        if take("}") { return .object(members) }
        repeat {
            skipSpace()
            guard let name = string() else { return nil }
            skipSpace()
            guard take(":") else { return nil }
            skipSpace()
            guard let value = value(depth: depth + 1) else { return nil }
            guard members.updateValue(value, forKey: name) == nil || !refusesDuplicates else { return nil }
            skipSpace()
        } while take(",")
        return take("}") ? .object(members) : nil
    }

    private mutating func array(depth: Int) -> JsonValue? {
        guard take("[") else { return nil }
        var values: [JsonValue] = []
        skipSpace()
        if take("]") { return .array(values) }
        repeat {
            skipSpace()
            guard let value = value(depth: depth + 1) else { return nil }
            values.append(value)
            skipSpace()
        } while take(",")
        return take("]") ? .array(values) : nil
    }

    private mutating func number() -> JsonValue? {
        let start = position
        _ = take("-")
        if !take("0") {
            guard digits() else { return nil }
        }
        let end = position
        if take(".") {
            guard digits() else { return nil }
        }
        if take("e") || take("E") {
            _ = take("+") || take("-")
            guard digits() else { return nil }
        }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        if position == end, let integer = Int64(text) { return .integer(integer) }
        guard let number = Double(text), number.isFinite else { return nil }
        return .number(number)
    }

    private mutating func digits() -> Bool {
        let start = position
        while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
        return position > start
    }

    private mutating func string() -> String? {
        guard take("\"") else { return nil }
        var text: [UInt8] = []
        while let byte = next {
            position += 1
            switch byte {
            case UInt8(ascii: "\""):
                return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard let scalar = escape() else { return nil }
                text.append(contentsOf: String(Character(scalar)).utf8)
            case ..<0x20:
                return nil
            default:
                text.append(byte)
            }
        }
        return nil
    }

    private mutating func escape() -> Unicode.Scalar? {
        guard let byte = next else { return nil }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"):
            guard let unit = unit() else { return nil }
            guard UTF16.isLeadSurrogate(unit) else { return Unicode.Scalar(unit) }
            guard take(word: "\\u"), let trail = self.unit(), UTF16.isTrailSurrogate(trail) else { return nil }
            return UTF16.decode(UTF16.EncodedScalar([unit, trail]))
        default: return nil
        }
    }

    private mutating func unit() -> UInt16? {
        guard position + 4 <= bytes.count,
            bytes[position..<position + 4].allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit })
        else { return nil }
        defer { position += 4 }
        return UInt16(String(decoding: bytes[position..<position + 4], as: UTF8.self), radix: 16)
    }
}
