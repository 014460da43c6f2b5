import HTTPTypes
import SallyportTransport

/// The header fields of a response: a collection of names, which are not case-sensitive, and their values.
///
/// ```swift
/// let type = response.headers["content-type"]?.first
/// for (name, values) in response.headers { print(name, values) }
/// ```
public struct HttpHeaders: Sendable, Hashable {
    /// The fields, in the order they were received.
    public var fields: HTTPFields

    /// Creates headers from fields.
    public init(_ fields: HTTPFields = [:]) {
        self.fields = fields
    }

    /// Creates headers from the fields of a platform that joins values of the same name, such as Foundation.
    ///
    /// The cookies of a `Set-Cookie` value are separated, at commas and at line breaks; a comma in an `Expires` date does not separate
    /// cookies. Other values remain joined. Use it in a ``Transport`` that is based on `URLSession`:
    ///
    /// ```swift
    /// let headers = HttpHeaders(joinedFields: response.allHeaderFields)
    /// ```
    ///
    /// - Parameter joinedFields: The names and values. Names that are not tokens of RFC 9110 and values with control characters are
    ///   ignored.
    public init(joinedFields: [AnyHashable: Any]) {
        fields = [:]
        for (name, value) in joinedFields { fields.append(joined: "\(name)", "\(value)") }
    }

    /// The values of a name, in order; `nil` if there are none. The name is not case-sensitive.
    public subscript(name: String) -> [String]? {
        guard let name = HTTPField.Name(name), fields.contains(name) else { return nil }
        return fields[values: name]
    }
}

extension HttpHeaders: Collection {
    /// The position of a name's first field.
    public struct Index: Sendable, Comparable {
        fileprivate let offset: Int

        /// Returns a Boolean value that indicates whether one position precedes another.
        public static func < (first: Index, second: Index) -> Bool { first.offset < second.offset }
    }

    /// The position of the first name.
    public var startIndex: Index { Index(offset: fields.startIndex) }

    /// The position after the last name.
    public var endIndex: Index { Index(offset: fields.endIndex) }

    /// Returns the position of the first field of the next name.
    public func index(after index: Index) -> Index {
        var next = index.offset + 1
        while next < fields.endIndex, fields[..<next].contains(where: { $0.name == fields[next].name }) { next += 1 }
        return Index(offset: next)
    }

    /// The name at a position, as first received, and all its values.
    public subscript(position: Index) -> (name: String, values: [String]) {
        let name = fields[position.offset].name
        return (name.rawName, fields[values: name])
    }
}

extension HttpHeaders {
    /// The names, as first received.
    public var keys: [String] { map(\.name) }

    /// The headers as a dictionary. Its keys are the ``keys``, and are case-sensitive.
    public var dictionary: [String: [String]] {
        Dictionary(map { ($0.name, $0.values) }, uniquingKeysWith: { first, _ in first })
    }
}

extension HttpHeaders: ExpressibleByDictionaryLiteral {
    /// Creates headers from names and values. Names that are not tokens of RFC 9110 are ignored.
    public init(dictionaryLiteral elements: (String, [String])...) {
        fields = [:]
        for (name, values) in elements {
            guard let name = HTTPField.Name(name) else { continue }
            for value in values { fields.append(HTTPField(name: name, value: value)) }
        }
    }
}

extension HttpHeaders: CustomStringConvertible, CustomReflectable {
    /// The fields, one per line, with masked secrets.
    public var description: String {
        fields.map(Redaction.line).joined(separator: "\n")
    }

    /// A mirror of ``description``, so that `dump` shows no secrets.
    public var customMirror: Mirror { Mirror(self, children: ["fields": description], displayStyle: .struct) }
}
