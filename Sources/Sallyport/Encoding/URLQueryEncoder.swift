import Foundation

/// An encoder that encodes values as the query of a URL.
///
/// ```swift
/// struct Search: Encodable { var text: String; var tags: [String] }
/// let query = try URLQueryEncoder().encode(Search(text: "a b", tags: ["x", "y"]))
/// // text=a%20b&tags=x&tags=y
/// ```
public struct URLQueryEncoder: Sendable {
    /// The options for the names and values.
    public var options: ParameterOptions

    /// Creates an encoder.
    public init(_ options: ParameterOptions = ParameterOptions()) {
        self.options = options
    }

    /// Returns a value as a query without a question mark, percent-encoded (RFC 3986).
    ///
    /// - Parameter value: A struct, class, dictionary, or enum with associated values. `Data` is encoded as Base64.
    /// - Throws: `EncodingError` with the coding path of the value that cannot be encoded.
    public func encode(_ value: some Encodable) throws -> String {
        PercentEncoding.joined(try parameters(of: value), encode: PercentEncoding.query)
    }

    /// Returns the names and values of a value in order, without percent-encoding.
    ///
    /// - Throws: `EncodingError` with the coding path of the value that cannot be encoded.
    public func parameters(of value: some Encodable) throws -> [(name: String, value: String)] {
        try options.parameters(of: value)
    }
}
