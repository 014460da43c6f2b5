import Foundation

/// The paths that cookies are sent to (RFC 6265bis section 5.1.4).
enum CookiePath {
    /// The path of a request, which is never empty.
    static func requestPath(of url: URL) -> String {
        let path = url.path(percentEncoded: true)
        return path.utf8.first == UInt8(ascii: "/") ? path : "/"
    }

    /// The path of a cookie that names none: the request's path up to its last slash.
    static func defaultPath(of url: URL) -> String {
        let path = requestPath(of: url)
        let folder = path.utf8.prefix(upTo: path.utf8.lastIndex(of: UInt8(ascii: "/")) ?? path.utf8.startIndex)
        return folder.isEmpty ? "/" : String(Substring(folder))
    }

    /// Whether a request to `path` may carry a cookie of `cookiePath`.
    static func matches(_ path: String, cookiePath: String) -> Bool {
        guard path.utf8.starts(with: cookiePath.utf8) else { return false }
        let rest = path.utf8.dropFirst(cookiePath.utf8.count)
        return rest.isEmpty || rest.first == UInt8(ascii: "/") || cookiePath.utf8.last == UInt8(ascii: "/")
    }
}
