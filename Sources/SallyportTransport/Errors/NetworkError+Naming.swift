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
            "\(method) \(scheme ?? "")://\(authorityWithoutUser)\(path[..<(end ?? path.endIndex)])\(end == nil ? "" : "?…")"
    }

    /// The authority as errors may show it: a user's name and password are not for them.
    package var authorityWithoutUser: Substring {
        let authority = (authority ?? "")[...]
        return authority.lastIndex(of: "@").map { "…" + authority[$0...] } ?? authority
    }
}
