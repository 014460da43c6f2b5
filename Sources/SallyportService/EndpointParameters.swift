import Sallyport

/// The query parameters of an endpoint.
///
/// ```swift
/// var parameters: EndpointParameters { ["name": name, "page": page] }
/// var parameters: EndpointParameters { .encoding(filter) }
/// ```
///
/// ``ServiceClientConfiguration/queryEncoder`` determines the format of arrays, dates, `nil` and so on.
public struct EndpointParameters: Sendable {
    let value: any Encodable & Sendable

    /// No parameters.
    public static let none: EndpointParameters = [:]

    /// Returns the members of a struct, class or dictionary as parameters. The value may be the endpoint itself, if it
    /// is `Encodable`.
    public static func encoding(_ value: some Encodable & Sendable) -> EndpointParameters {
        EndpointParameters(value: value)
    }

    /// Returns the names and values in order, without percent-encoding.
    func pairs(by encoder: URLQueryEncoder) throws -> [(name: String, value: String)] {
        try encoder.parameters(of: value)
    }
}

extension EndpointParameters: ExpressibleByDictionaryLiteral {
    /// Creates parameters from names and values, in this order. Values may also be arrays and objects.
    public init(dictionaryLiteral elements: (String, (any Encodable & Sendable)?)...) {
        value = NamedParameters(elements: elements)
    }
}

/// Names and values, in a fixed order.
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
