extension HttpRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The method and URL, without the values of a query, such as `GET https://api.example.com/search?…`.
    public var description: String {
        let target = try? RequestTarget(url: url, parameters: parameters)
        let text = target.map { Redaction.shortUrl($0.url) } ?? Redaction.refusedUrl(url ?? "(no URL)")
        return "\(method.rawValue) \(text)"
    }

    /// The same as ``description``, so that debugging shows no secret either.
    public var debugDescription: String { description }

    /// The same as ``description``, so that dumping shows no secret either.
    public var customMirror: Mirror { Mirror(self, children: ["request": description], displayStyle: .struct) }
}
