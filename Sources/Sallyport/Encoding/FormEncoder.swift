import Foundation

/// An encoder that encodes values as forms (`application/x-www-form-urlencoded`).
///
/// ```swift
/// struct Login: Encodable { var user: String; var remember: Bool }
/// let form = try FormEncoder().encode(Login(user: "Ada L", remember: true))
/// // user=Ada+L&remember=true
/// ```
public struct FormEncoder: Sendable {
    /// The options for the names and values.
    public var options: ParameterOptions

    /// Creates an encoder.
    public init(_ options: ParameterOptions = ParameterOptions()) {
        self.options = options
    }

    /// Returns a value as a form in the encoding of the URL Standard. A space becomes a plus sign.
    ///
    /// - Parameter value: A struct, class, dictionary, or enum with associated values. `Data` is encoded as Base64.
    /// - Throws: `EncodingError` with the coding path of the value that cannot be encoded.
    public func encode(_ value: some Encodable) throws -> String {
        PercentEncoding.joined(try parameters(of: value), encode: PercentEncoding.form)
    }

    /// Returns the names and values of a value in order, without percent-encoding.
    ///
    /// - Throws: `EncodingError` with the coding path of the value that cannot be encoded.
    public func parameters(of value: some Encodable) throws -> [(name: String, value: String)] {
        try options.parameters(of: value)
    }
}
