import Foundation

/// A JSON value.
///
/// ```swift
/// let claims: [String: JsonValue] = ["iss": "https://id.example.com", "exp": 1_800_000_000]
/// ```
public enum JsonValue: Sendable, Equatable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// An integer.
    case integer(Int64)
    /// Any other number.
    case number(Double)
    /// A string.
    case string(String)
    /// An array.
    case array([JsonValue])
    /// An object.
    case object([String: JsonValue])

    /// The string, if the value is one.
    public var string: String? { if case .string(let value) = self { value } else { nil } }

    /// The Boolean value, if the value is one.
    public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }

    /// The integer, if the value is one.
    public var integer: Int64? { if case .integer(let value) = self { value } else { nil } }

    /// The number, if the value is an integer or another number.
    public var number: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .number(let value): value
        default: nil
        }
    }

    /// The array, if the value is one.
    public var array: [JsonValue]? { if case .array(let value) = self { value } else { nil } }

    /// The object, if the value is one.
    public var object: [String: JsonValue]? { if case .object(let value) = self { value } else { nil } }

    /// Returns a member of an object; `nil` if the value is not an object or has no such member.
    public subscript(_ name: String) -> JsonValue? { object?[name] }

    /// The value as `JSONSerialization` returns it, for code that expects `Any`.
    package var foundationValue: Any {
        switch self {
        case .null: NSNull()
        case .bool(let value): NSNumber(value: value)
        case .integer(let value): NSNumber(value: value)
        case .number(let value): NSNumber(value: value)
        case .string(let value): value
        case .array(let values): values.map(\.foundationValue)
        case .object(let values): values.mapValues(\.foundationValue)
        }
    }
}

extension JsonValue: Codable {
    /// Decodes any value.
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

    /// Encodes the value.
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

extension JsonValue: ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByFloatLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral, ExpressibleByNilLiteral
{
    /// Creates a string.
    public init(stringLiteral value: String) { self = .string(value) }
    /// Creates an integer.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// Creates a Boolean value.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// Creates a number.
    public init(floatLiteral value: Double) { self = .number(value) }
    /// Creates an array.
    public init(arrayLiteral elements: JsonValue...) { self = .array(elements) }
    /// Creates an object. Of several members with the same name, the last one is used.
    public init(dictionaryLiteral elements: (String, JsonValue)...) {
        self = .object(Dictionary(elements) { _, last in last })
    }
    /// Creates `null`.
    public init(nilLiteral: ()) { self = .null }
}
