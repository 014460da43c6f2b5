import Foundation

/// Writes a value as the query of a URL.
///
/// ```swift
/// struct Search: Encodable { var text: String; var tags: [String] }
/// let query = try URLQueryEncoder().encode(Search(text: "a b", tags: ["x", "y"]))
/// // text=a%20b&tags=x&tags=y
/// ```
public struct URLQueryEncoder: Sendable {
    /// How values are written.
    public var options: ParameterOptions

    /// Makes an encoder.
    public init(_ options: ParameterOptions = ParameterOptions()) {
        self.options = options
    }

    /// The query of a value, without a question mark, percent-encoded by RFC 3986.
    ///
    /// - Parameter value: A struct, class, dictionary, or enum with associated values. `Data` is written as Base64.
    /// - Throws: `EncodingError` naming the place in the value.
    public func encode(_ value: some Encodable) throws -> String {
        PercentEncoding.joined(try parameters(of: value), encode: PercentEncoding.query)
    }

    /// The names and values of a value in order, without percent-encoding.
    ///
    /// - Throws: `EncodingError` naming the place in the value.
    public func parameters(of value: some Encodable) throws -> [(name: String, value: String)] {
        try options.parameters(of: value)
    }
}
