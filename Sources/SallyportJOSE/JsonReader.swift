import Foundation
import SallyportTransport

/// Parses JSON more strictly than `JSONDecoder`: objects with duplicate members are refused, as different parsers may
/// use different ones, and the nesting depth is limited.
struct JsonReader {
    private static let maximumDepth = 32

    private var tokens: JsonTokenizer
    private let refusesDuplicates: Bool

    private init(_ bytes: [UInt8], refusesDuplicates: Bool) {
        tokens = JsonTokenizer(bytes)
        self.refusesDuplicates = refusesDuplicates
    }

    /// Parses an object.
    ///
    /// - Returns: `nil` if the data is not an object, or if anything follows it.
    static func object(_ data: Data, refusingDuplicates: Bool = true) -> [String: JsonValue]? {
        guard String(data: data, encoding: .utf8) != nil else { return nil }
        var reader = JsonReader([UInt8](data), refusesDuplicates: refusingDuplicates)
        guard case .object(let members) = reader.value(depth: 0), reader.tokens.token == .end else { return nil }
        return members
    }

    private mutating func value(depth: Int) -> JsonValue? {
        guard depth < Self.maximumDepth else { return nil }
        let value: JsonValue?
        switch tokens.token {
        case .objectStart: return object(depth: depth)
        case .arrayStart: return array(depth: depth)
        case .string: value = tokens.string.map(JsonValue.string)
        case .number: value = number()
        case .true: value = .bool(true)
        case .false: value = .bool(false)
        case .null: value = .null
        default: return nil
        }
        tokens.advance()
        return value
    }

    private mutating func object(depth: Int) -> JsonValue? {
        guard tokens.take(.objectStart) else { return nil }
        var members: [String: JsonValue] = [:]
        if tokens.take(.objectEnd) { return .object(members) }
        repeat {
            guard tokens.token == .string, let name = tokens.string else { return nil }
            tokens.advance()
            guard tokens.take(.colon), let value = value(depth: depth + 1) else { return nil }
            guard members.updateValue(value, forKey: name) == nil || !refusesDuplicates else { return nil }
        } while tokens.take(.comma)
        return tokens.take(.objectEnd) ? .object(members) : nil
    }

    private mutating func array(depth: Int) -> JsonValue? {
        guard tokens.take(.arrayStart) else { return nil }
        var values: [JsonValue] = []
        if tokens.take(.arrayEnd) { return .array(values) }
        repeat {
            guard let value = value(depth: depth + 1) else { return nil }
            values.append(value)
        } while tokens.take(.comma)
        return tokens.take(.arrayEnd) ? .array(values) : nil
    }

    /// The value of the current token, which is a number; `nil` if it is too large.
    private func number() -> JsonValue? {
        let text = String(decoding: tokens.tokenBytes, as: UTF8.self)
        if let integer = Int64(text) { return .integer(integer) }
        guard let number = Double(text), number.isFinite else { return nil }
        return .number(number)
    }
}

extension [String: JsonValue] {
    /// Returns the object as JSON with sorted members and without whitespace, so that equal objects are encoded
    /// equally.
    func json() throws(JoseError) -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return try encoder.encode(self)
        } catch {
            throw JoseError(.malformed, "JSON cannot represent one of the numbers.")
        }
    }
}
