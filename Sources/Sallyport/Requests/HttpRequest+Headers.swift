import HTTPTypes
import SallyportTransport

extension HttpRequest {
    /// Sets a header, replacing all headers with that name. Names are not case-sensitive.
    ///
    /// - Parameters:
    ///   - name: A token (RFC 9110, section 5.6.2).
    ///   - value: A text without control characters. Spaces and tabs at both ends are removed.
    ///   - isSensitive: A Boolean value that indicates whether the value is a secret, which is never logged, never indexed by HTTP/2
    ///     and never sent to another origin by a redirect. `Authorization`, cookies and similar headers are always sensitive.
    public mutating func setHeader(name: String, value: String, isSensitive: Bool = false) {
        clearProblems(of: .header(name.lowercased()))
        replaceHeader(name: name, value: value, isSensitive: isSensitive)
    }

    /// Sets a header like ``setHeader(name:value:isSensitive:)``, and keeps the problem of an earlier value.
    mutating func replaceHeader(name: String, value: String, isSensitive: Bool = false) {
        guard let field = checkedField(name, value, isSensitive) else { return }
        fields[fields: field.name] = [field]
    }

    /// Adds a header without replacing others with the same name.
    ///
    /// - Parameters:
    ///   - name: A token (RFC 9110, section 5.6.2).
    ///   - value: A text without control characters. Spaces and tabs at both ends are removed.
    ///   - isSensitive: A Boolean value that indicates whether the value is a secret; see ``setHeader(name:value:isSensitive:)``.
    public mutating func addHeader(name: String, value: String, isSensitive: Bool = false) {
        guard let field = checkedField(name, value, isSensitive) else { return }
        fields.append(field)
    }

    /// Removes all headers with a name, which is not case-sensitive.
    public mutating func removeHeader(name: String) {
        clearProblems(of: .header(name.lowercased()))
        guard let name = HTTPField.Name(name) else { return }
        fields[name] = nil
    }

    /// Returns the first value of a header. The name is not case-sensitive.
    public func getHeader(name: String) -> String? {
        HTTPField.Name(name).flatMap { fields[values: $0].first }
    }

    /// Returns all values of a header, joined with commas (RFC 9110, section 5.3). The values of `Cookie` are joined with semicolons. The
    /// name is not case-sensitive.
    public func getCombinedHeader(name: String) -> String? {
        HTTPField.Name(name).flatMap { fields[$0] }
    }

    /// The headers by name, which is not case-sensitive. A name that has several values has the first; setting one replaces all.
    ///
    /// ```swift
    /// request.headers["If-Match"] = tag
    /// request.headers["Accept-Language"] = nil
    /// ```
    ///
    /// Use ``setHeader(name:value:isSensitive:)`` for a secret in a header of your own.
    public var headers: Headers {
        get { Headers(request: self) }
        set { self = newValue.request }
    }

    /// The headers of a request; see ``HttpRequest/headers``.
    public struct Headers: Sendable {
        fileprivate var request: HttpRequest

        /// The first value of a header; `nil` if there is none.
        public subscript(name: String) -> String? {
            get { request.getHeader(name: name) }
            set {
                if let newValue {
                    request.setHeader(name: name, value: newValue)
                } else {
                    request.removeHeader(name: name)
                }
            }
        }
    }

    /// Returns all headers, with names as they were set. Several values of a name are joined with commas.
    public func getHeaders() -> [String: String] {
        var headers: [String: String] = [:]
        for field in fields where headers[field.name.rawName] == nil {
            headers[field.name.rawName] = fields[field.name]
        }
        return headers
    }

    private mutating func checkedField(_ name: String, _ value: String, _ isSensitive: Bool) -> HTTPField? {
        guard let fieldName = HTTPField.Name(name) else {
            let problem = NetworkFailure("the header name \"\(VisibleText.line(name))\" is not a token of RFC 9110")
            recordProblem(problem, of: .header(name.lowercased()))
            return nil
        }
        let value = trimmed(value)
        guard HTTPField.isValidValue(value) else {
            recordProblem(
                NetworkFailure(
                    "the value of the header \(name) contains a control character",
                    advice: "remove line breaks and other control characters"
                ),
                of: .header(name.lowercased())
            )
            return nil
        }
        var field = HTTPField(name: fieldName, value: value)
        if isSensitive { field.indexingStrategy = .disallow }
        return field
    }
}

/// Returns a value without spaces and tabs at both ends.
private func trimmed(_ value: String) -> String {
    let bytes = value.utf8
    guard let first = bytes.first, let last = bytes.last, first.isBlank || last.isBlank else { return value }
    return String(value.trimmingBlanks())
}
