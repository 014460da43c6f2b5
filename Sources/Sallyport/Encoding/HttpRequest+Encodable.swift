import SallyportTransport

extension HttpRequest {
    /// Adds the members of a value to the URL's query, after what is there.
    ///
    /// ```swift
    /// request.setParameters(Search(text: "swift", page: 1))
    /// ```
    ///
    /// - Parameters:
    ///   - value: A struct, class or dictionary. If it cannot be encoded, the request fails when it is sent, with an
    ///     error that names the place.
    ///   - encoder: How to write it.
    public mutating func setParameters(_ value: some Encodable, encoder: URLQueryEncoder = URLQueryEncoder()) {
        do {
            parameters += try encoder.parameters(of: value)
        } catch {
            remember(Self.unwritable("query", error))
        }
    }

    /// Makes it a POST of a value as a form, or adds the value to the form that it is already.
    ///
    /// - Parameters:
    ///   - value: A struct, class or dictionary. If it cannot be encoded, the request fails when it is sent, with an
    ///     error that names the place.
    ///   - encoder: How to write it.
    public mutating func form(_ value: some Encodable, encoder: FormEncoder = FormEncoder()) {
        do {
            form(parameters: try encoder.parameters(of: value).map { ($0.name, $0.value) })
        } catch {
            remember(Self.unwritable("form", error))
        }
    }

    private static func unwritable(_ what: String, _ error: any Error) -> NetworkFailure {
        NetworkFailure("the \(what) cannot be encoded at \(UnwritableParameter(error).description)")
    }
}

/// Why something cannot stand in a query or a form, and where in it. It does not hold the value.
struct UnwritableParameter: CustomStringConvertible {
    let description: String

    init(_ error: any Error) {
        guard case EncodingError.invalidValue(_, let context) = error else {
            description = "its top: \(type(of: error))"
            return
        }
        let path = context.codingPath.map { $0.intValue.map(String.init) ?? $0.stringValue }
        description = "\(path.isEmpty ? "its top" : path.joined(separator: ".")): \(context.debugDescription)"
    }
}
