extension HttpRequest: CustomStringConvertible, CustomDebugStringConvertible {
    /// The method and URL, without the values of a query, such as `GET https://api.example.com/search?…`.
    public var description: String {
        let url = Redaction.shortUrl(url ?? "(no URL)")
        return "\(method.rawValue) \(url)\(parameters.isEmpty || url.hasSuffix("?…") ? "" : "?…")"
    }

    /// The same as ``description``, so that debugging shows no secret either.
    public var debugDescription: String { description }
}
