import Foundation

/// Any value of JSON.
///
/// ```swift
/// let claims: [String: JsonValue] = ["iss": "https://id.example.com", "exp": 1_800_000_000]
/// ```
public enum JsonValue: Sendable, Equatable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number without a fraction.
    case integer(Int64)
    /// Any other number.
    case number(Double)
    /// A text.
    case string(String)
    /// A list.
    case array([JsonValue])
    /// An object.
    case object([String: JsonValue])

    /// The text, if it is one.
    public var string: String? { if case .string(let value) = self { value } else { nil } }

    /// The truth value, if it is one.
    public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }

    /// The number without a fraction, if it is one.
    public var integer: Int64? { if case .integer(let value) = self { value } else { nil } }

    /// The number, with or without a fraction, if it is one.
    public var number: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .number(let value): value
        default: nil
        }
    }

    /// The list, if it is one.
    public var array: [JsonValue]? { if case .array(let value) = self { value } else { nil } }

    /// The object, if it is one.
    public var object: [String: JsonValue]? { if case .object(let value) = self { value } else { nil } }

    /// The member of an object; `nil` if there is none.
    public subscript(_ name: String) -> JsonValue? { object?[name] }
}

extension JsonValue: Codable {
    /// Reads any value.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .integer(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JsonValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JsonValue].self))
        }
    }

    /// Writes the value.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }
}

extension JsonValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByFloatLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral, ExpressibleByNilLiteral
{
    /// A text.
    public init(stringLiteral value: String) { self = .string(value) }
    /// A number without a fraction.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// A truth value.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// A number.
    public init(floatLiteral value: Double) { self = .number(value) }
    /// A list.
    public init(arrayLiteral elements: JsonValue...) { self = .array(elements) }
    /// An object; of members with one name the last.
    public init(dictionaryLiteral elements: (String, JsonValue)...) {
        self = .object(Dictionary(elements) { _, last in last })
    }
    /// `null`.
    public init(nilLiteral: ()) { self = .null }
}

extension [String: JsonValue] {
    /// The object in JSON: members sorted, no space, so that the same members are always the same bytes.
    func json() throws(JoseError) -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return try encoder.encode(self)
        } catch {
            throw JoseError(.malformed, "There is a number that JSON cannot hold.")
        }
    }
}
