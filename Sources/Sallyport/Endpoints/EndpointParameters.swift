/// What stands in the query of an endpoint's URL.
///
/// ```swift
/// var parameters: EndpointParameters { ["name": name, "page": page] }
/// var parameters: EndpointParameters { .encoding(filter) }
/// ```
///
/// How arrays, dates, `nil` and so on are written is up to ``NetworkServiceConfiguration/queryEncoder``.
public struct EndpointParameters: Sendable {
    let value: any Encodable & Sendable

    /// No parameters.
    public static let none: EndpointParameters = [:]

    /// The members of a struct, class or dictionary; of the endpoint itself, if it is `Encodable`.
    public static func encoding(_ value: some Encodable & Sendable) -> EndpointParameters {
        EndpointParameters(value: value)
    }

    func pairs(by encoder: URLQueryEncoder) throws -> [(name: String, value: String)] {
        func pairs(_ value: some Encodable) throws -> [(name: String, value: String)] {
            try encoder.parameters(of: value)
        }
        return try pairs(value)
    }
}

extension EndpointParameters: ExpressibleByDictionaryLiteral {
    /// Makes parameters of names and values, in their order. Values may be arrays and objects too.
    public init(dictionaryLiteral elements: (String, (any Encodable & Sendable)?)...) {
        value = NamedParameters(elements: elements)
    }
}

/// Names and values in an order of their own.
private struct NamedParameters: Encodable, Sendable {
    let elements: [(String, (any Encodable & Sendable)?)]

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: NameKey.self)
        for (name, value) in elements {
            if let value {
                try container.encode(value, forKey: NameKey(name))
            } else {
                try container.encodeNil(forKey: NameKey(name))
            }
        }
    }
}

/// A key of any name.
struct NameKey: CodingKey {
    let stringValue: String

    init(_ name: String) { stringValue = name }

    init?(stringValue: String) { self.init(stringValue) }

    init?(intValue: Int) { nil }

    var intValue: Int? { nil }
}
