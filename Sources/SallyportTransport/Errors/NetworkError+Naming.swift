import HTTPTypes

extension NetworkError {
    /// The error with the request that it is about, unless it names one already.
    package func naming(_ request: @autoclosure () -> String) -> NetworkError {
        if failure.request != nil { return self }
        var named = self
        named.failure.request = request()
        return named
    }
}

extension HTTPRequest {
    /// The method and URL without the query, which may hold secrets: `GET https://api.example.com/search?…`.
    package var summary: String {
        let path = path ?? ""
        let end = path.firstIndex(of: "?")
        return
            "\(method) \(scheme ?? "")://\(authority ?? "")\(path[..<(end ?? path.endIndex)])\(end == nil ? "" : "?…")"
    }
}
