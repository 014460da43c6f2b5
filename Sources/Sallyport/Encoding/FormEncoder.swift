import Foundation

/// Writes a value as a form, `application/x-www-form-urlencoded`.
///
/// ```swift
/// struct Login: Encodable { var user: String; var remember: Bool }
/// let form = try FormEncoder().encode(Login(user: "Ada L", remember: true))
/// // user=Ada+L&remember=true
/// ```
public struct FormEncoder: Sendable {
    /// How values are written.
    public var options: ParameterOptions

    /// Makes an encoder.
    public init(_ options: ParameterOptions = ParameterOptions()) {
        self.options = options
    }

    /// The form of a value, as the URL standard writes it: a space becomes a plus.
    ///
    /// - Parameter value: A struct, class, dictionary, or enum with associated values. `Data` is written as Base64.
    /// - Throws: `EncodingError` naming the place in the value.
    public func encode(_ value: some Encodable) throws -> String {
        PercentEncoding.joined(try parameters(of: value), encode: PercentEncoding.form)
    }

    /// The names and values of a value in order, without percent-encoding.
    ///
    /// - Throws: `EncodingError` naming the place in the value.
    public func parameters(of value: some Encodable) throws -> [(name: String, value: String)] {
        try options.parameters(of: value)
    }
}
