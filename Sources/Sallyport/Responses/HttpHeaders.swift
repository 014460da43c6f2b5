import HTTPTypes

/// The header fields of a response: each name, in any case, with all its values.
///
/// ```swift
/// let type = response.headers["content-type"]?.first
/// for (name, values) in response.headers { print(name, values) }
/// ```
public struct HttpHeaders: Sendable, Hashable {
    /// The same as swift-http-types has them, in the order in which they came.
    public var fields: HTTPFields

    /// Makes headers of fields.
    public init(_ fields: HTTPFields = [:]) {
        self.fields = fields
    }

    /// All values of a name, in any case and in order; `nil` if there are none.
    public subscript(name: String) -> [String]? {
        guard let name = HTTPField.Name(name), fields.contains(name) else { return nil }
        return fields[values: name]
    }
}

extension HttpHeaders: Collection {
    /// The place of a name's first field.
    public struct Index: Sendable, Comparable {
        fileprivate let offset: Int

        /// Whether one place comes before another.
        public static func < (first: Index, second: Index) -> Bool { first.offset < second.offset }
    }

    /// The first name.
    public var startIndex: Index { Index(offset: fields.startIndex) }

    /// The place after the last name.
    public var endIndex: Index { Index(offset: fields.endIndex) }

    /// The place of the next name that has not come before.
    public func index(after index: Index) -> Index {
        var next = index.offset + 1
        while next < fields.endIndex, fields[..<next].contains(where: { $0.name == fields[next].name }) { next += 1 }
        return Index(offset: next)
    }

    /// A name as it was first written, and all its values.
    public subscript(position: Index) -> (name: String, values: [String]) {
        let name = fields[position.offset].name
        return (name.rawName, fields[values: name])
    }
}

extension HttpHeaders {
    /// The names, as they were first written.
    public var keys: [String] { map(\.name) }

    /// The same as a dictionary, for callers that need one; its names are those of ``keys``, and case matters.
    public var dictionary: [String: [String]] {
        Dictionary(map { ($0.name, $0.values) }, uniquingKeysWith: { first, _ in first })
    }
}

extension HttpHeaders: ExpressibleByDictionaryLiteral {
    /// Makes headers of names and their values. Names that are not tokens of RFC 9110 are left out.
    public init(dictionaryLiteral elements: (String, [String])...) {
        fields = [:]
        for (name, values) in elements {
            guard let name = HTTPField.Name(name) else { continue }
            for value in values { fields.append(HTTPField(name: name, value: value)) }
        }
    }
}

extension HttpHeaders: CustomStringConvertible, CustomReflectable {
    /// The fields, one a line, with secrets masked.
    public var description: String {
        fields.map(Redaction.line).joined(separator: "\n")
    }

    /// The same as ``description``, so that dumping shows no secret either.
    public var customMirror: Mirror { Mirror(self, children: ["fields": description], displayStyle: .struct) }
}
