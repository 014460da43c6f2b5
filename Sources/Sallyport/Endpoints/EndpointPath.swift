import Foundation

/// Where an endpoint is, below the base URL of its service.
///
/// Values are put in as text is, or by name. Each stays within its segment, whatever it holds: it is percent-encoded.
///
/// ```swift
/// var path: EndpointPath { "/users/\(id)/posts" }
/// ```
///
/// A name in braces takes its value from the endpoint's parameters, which then no longer stands in the query:
///
/// ```swift
/// var path: EndpointPath { "/users/{id}/posts" }
/// var parameters: EndpointParameters { ["id": id, "page": page] }
/// ```
///
/// A value that is empty, or a step to another folder such as `..`, fails the call before anything is sent.
public struct EndpointPath: Sendable, Hashable {
    enum Piece: Sendable, Hashable {
        case text(String)
        case value(String)
    }

    var pieces: [Piece]

    /// Makes a path of a template and the values of its names in braces.
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
    /// A path without values, but for names in braces.
    public init(stringLiteral path: String) {
        pieces = [.text(path)]
    }

    /// A path with values in it.
    public init(stringInterpolation: StringInterpolation) {
        pieces = stringInterpolation.pieces
    }

    /// Gathers the texts and values of a path.
    public struct StringInterpolation: StringInterpolationProtocol {
        var pieces: [Piece] = []

        /// Starts without any.
        public init(literalCapacity: Int, interpolationCount: Int) {}

        /// Adds a text of the path, as it is.
        public mutating func appendLiteral(_ text: String) {
            if !text.isEmpty { pieces.append(.text(text)) }
        }

        /// Adds a value, such as a number or a text.
        public mutating func appendInterpolation(_ value: some LosslessStringConvertible) {
            pieces.append(.value(value.description))
        }

        /// Adds a UUID.
        public mutating func appendInterpolation(_ value: UUID) {
            pieces.append(.value(value.uuidString))
        }

        /// Adds a value by its raw value, such as a case of an enum of texts.
        @_disfavoredOverload
        public mutating func appendInterpolation<Value: RawRepresentable>(_ value: Value)
        where Value.RawValue: LosslessStringConvertible {
            pieces.append(.value(value.rawValue.description))
        }
    }
}

extension EndpointPath: CustomStringConvertible {
    /// The path with its values, percent-encoded, as far as they are known.
    public var description: String {
        pieces.map { piece in
            switch piece {
            case .text(let text): text
            case .value(let value): PercentEncoding.query(value)
            }
        }.joined()
    }
}
