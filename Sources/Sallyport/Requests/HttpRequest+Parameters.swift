extension HttpRequest {
    /// Adds a parameter to the URL's query. The same name may be added several times.
    ///
    /// ```swift
    /// request.url = "https://api.example.com/search"
    /// request.setParameter(name: "q", value: "swift")
    /// request.setParameter(name: "page", value: "1")
    /// // GET https://api.example.com/search?q=swift&page=1
    /// ```
    ///
    /// - Parameters:
    ///   - name: Any text; it is percent-encoded (RFC 3986).
    ///   - value: Any text; it is percent-encoded (RFC 3986).
    public mutating func setParameter(name: String, value: String) {
        parameters.append((name, value))
    }

    /// Removes all parameters of a name that were added by ``setParameter(name:value:)``.
    public mutating func removeParameter(name: String) {
        parameters.removeAll { $0.name == name }
    }
}
