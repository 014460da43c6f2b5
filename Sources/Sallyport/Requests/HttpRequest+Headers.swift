import HTTPTypes
import SallyportTransport

extension HttpRequest {
    /// Sets a header, in place of any of that name in any case.
    ///
    /// - Parameters:
    ///   - name: A token of RFC 9110.
    ///   - value: Text without control characters. Spaces around it are dropped.
    ///   - isSensitive: Whether the value is a secret: then it is never logged, never indexed by HTTP/2 and never sent
    ///     to another origin by a redirect. `Authorization`, cookies and their like are sensitive anyway.
    public mutating func setHeader(name: String, value: String, isSensitive: Bool = false) {
        guard let field = checkedField(name, value, isSensitive) else { return }
        fields[fields: field.name] = [field]
    }

    /// Adds a header beside those of the same name.
    ///
    /// - Parameters:
    ///   - name: A token of RFC 9110.
    ///   - value: Text without control characters. Spaces around it are dropped.
    ///   - isSensitive: Whether the value is a secret, as for ``setHeader(name:value:isSensitive:)``.
    public mutating func addHeader(name: String, value: String, isSensitive: Bool = false) {
        guard let field = checkedField(name, value, isSensitive) else { return }
        fields.append(field)
    }

    /// Removes all headers of a name, in any case.
    public mutating func removeHeader(name: String) {
        guard let name = HTTPField.Name(name) else { return }
        fields[name] = nil
    }

    /// The value of a header, in any case of its name; several are joined with a comma.
    public func getHeader(name: String) -> String? {
        HTTPField.Name(name).flatMap { fields[$0] }
    }

    /// All headers that have been set, under the names as they were written; several of a name are joined with a comma.
    public func getHeaders() -> [String: String] {
        var headers: [String: String] = [:]
        for field in fields where headers[field.name.rawName] == nil {
            headers[field.name.rawName] = fields[field.name]
        }
        return headers
    }

    private mutating func checkedField(_ name: String, _ value: String, _ isSensitive: Bool) -> HTTPField? {
        guard let fieldName = HTTPField.Name(name) else {
            remember(NetworkFailure("the header name \"\(VisibleText.line(name))\" is not a token of RFC 9110"))
            return nil
        }
        let value = withoutBlanksAround(value)
        guard HTTPField.isValidValue(value) else {
            remember(
                NetworkFailure(
                    "the value of the header \(name) contains a control character",
                    advice: "take line breaks and other control characters out of it"
                )
            )
            return nil
        }
        var field = HTTPField(name: fieldName, value: value)
        if isSensitive { field.indexingStrategy = .disallow }
        return field
    }
}

private func withoutBlanksAround(_ value: String) -> String {
    let bytes = value.utf8
    guard let first = bytes.first, let last = bytes.last, first.isBlank || last.isBlank else { return value }
    return String(value.trimmingBlanks())
}
