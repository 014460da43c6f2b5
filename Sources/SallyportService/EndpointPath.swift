import Foundation
import Sallyport

/// The path of an endpoint, below the base URL of its service.
///
/// Values are interpolated, or referenced by name. Each value is percent-encoded, so that it remains within its segment.
///
/// ```swift
/// var path: EndpointPath { "/users/\(id)/posts" }
/// ```
///
/// A name in braces is replaced by the endpoint's parameter of that name, which is then not part of the query:
///
/// ```swift
/// var path: EndpointPath { "/users/{id}/posts" }
/// var parameters: EndpointParameters { ["id": id, "page": page] }
/// ```
///
/// If a value is empty, or a segment is a dot segment such as `..`, the call fails before anything is sent.
public struct EndpointPath: Sendable, Hashable {
    enum Piece: Sendable, Hashable {
        case text(String)
        case value(String)
    }

    let pieces: [Piece]

    /// Creates a path from a template and the values of its names in braces.
    ///
    /// ```swift
    /// EndpointPath("/users/{id}", ["id": "a/b"])  // /users/a%2Fb
    /// ```
    public init(_ template: String, _ values: [String: String] = [:]) {
        pieces = PathTemplate.pieces(of: template).map { piece in
            if case .name(let name) = piece, let value = values[name] { return .value(value) }
            return .text(piece.source)
        }
    }
}

extension EndpointPath: ExpressibleByStringInterpolation {
    /// Creates a path without values, except for names in braces.
    public init(stringLiteral path: String) {
        pieces = [.text(path)]
    }

    /// Creates a path with interpolated values.
    public init(stringInterpolation: StringInterpolation) {
        pieces = stringInterpolation.pieces
    }

    /// Collects the literals and values of a path.
    public struct StringInterpolation: StringInterpolationProtocol {
        var pieces: [Piece] = []

        /// Creates an empty interpolation.
        public init(literalCapacity: Int, interpolationCount: Int) {}

        /// Appends a literal part of the path, unchanged.
        public mutating func appendLiteral(_ text: String) {
            if !text.isEmpty { pieces.append(.text(text)) }
        }

        /// Appends a value, such as a number or a string.
        public mutating func appendInterpolation(_ value: some LosslessStringConvertible) {
            pieces.append(.value(value.description))
        }

        /// Appends a UUID.
        public mutating func appendInterpolation(_ value: UUID) {
            pieces.append(.value(value.uuidString))
        }

        /// Appends the raw value of a value, such as a case of an enumeration with string values.
        @_disfavoredOverload
        public mutating func appendInterpolation<Value: RawRepresentable>(_ value: Value)
        where Value.RawValue: LosslessStringConvertible {
            pieces.append(.value(value.rawValue.description))
        }
    }
}

extension EndpointPath {
    /// The path with its names in braces, and `{}` for each value without a name. It is empty or begins with a slash.
    var template: String {
        let text = pieces.map { piece in
            switch piece {
            case .text(let text): text
            case .value: "{}"
            }
        }.joined()
        return text.isEmpty || text.hasPrefix("/") ? text : "/" + text
    }
}

extension EndpointPath: CustomStringConvertible {
    /// The path with its known values, percent-encoded.
    public var description: String {
        pieces.map { piece in
            switch piece {
            case .text(let text): text
            case .value(let value): PercentEncoding.query(value)
            }
        }.joined()
    }
}
