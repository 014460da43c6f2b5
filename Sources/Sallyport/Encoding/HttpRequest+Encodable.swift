import SallyportTransport

extension HttpRequest {
    /// Sets parameters of the URL to the members of a value, replacing all parameters with their names.
    ///
    /// ```swift
    /// request.setParameters(Search(text: "swift", page: 1))
    /// ```
    ///
    /// - Parameters:
    ///   - value: A struct, class or dictionary. If it cannot be encoded, sending the request throws an error that contains the
    ///     coding path.
    ///   - encoder: The encoder.
    public mutating func setParameters(_ value: some Encodable, encoder: URLQueryEncoder = URLQueryEncoder()) {
        do {
            let added = try encoder.parameters(of: value)
            for parameter in added { removeParameter(name: parameter.name) }
            parameters += added
        } catch {
            recordProblem(Self.failure(of: "query", error))
        }
    }

    /// Makes the request a POST of a value as a form, or adds the members of the value to the form that it already has.
    ///
    /// - Parameters:
    ///   - value: A struct, class or dictionary. If it cannot be encoded, sending the request throws an error that contains the
    ///     coding path.
    ///   - encoder: The encoder.
    public mutating func form(_ value: some Encodable, encoder: FormEncoder = FormEncoder()) {
        do {
            form(parameters: try encoder.parameters(of: value).map { ($0.name, $0.value) })
        } catch {
            recordProblem(Self.failure(of: "form", error), of: .body)
        }
    }

    private static func failure(of part: String, _ error: any Error) -> NetworkFailure {
        NetworkFailure("the \(part) cannot be encoded at \(ParameterEncodingProblem(error).description)")
    }
}

/// The coding path of a value that cannot be encoded in a query or form, and the reason, without the value itself.
package struct ParameterEncodingProblem: CustomStringConvertible {
    package let description: String

    package init(_ error: any Error) {
        guard case EncodingError.invalidValue(_, let context) = error else {
            description = "the root: \(type(of: error))"
            return
        }
        let path = context.codingPath.map { $0.intValue.map(String.init) ?? $0.stringValue }
        description = "\(path.isEmpty ? "the root" : path.joined(separator: ".")): \(context.debugDescription)"
    }
}
