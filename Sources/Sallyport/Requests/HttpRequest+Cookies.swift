import HTTPTypes
import SallyportTransport

extension HttpRequest {
    /// Adds a cookie to this request, replacing one with the same name.
    ///
    /// It takes precedence over a cookie with that name in the client's jar.
    ///
    /// - Parameter cookie: A name and its value, such as `"theme=dark"`. Several cookies are separated by semicolons. Attributes of a
    ///   `Set-Cookie` header, such as `Path=/`, are ignored.
    public mutating func setCookie(cookie: String) {
        add(cookie, isReplacing: true)
    }

    /// Adds a cookie to this request without replacing others with the same name; see ``setCookie(cookie:)``.
    ///
    /// ```swift
    /// request.addCookie(cookie: "id=1")
    /// request.addCookie(cookie: "id=2")  // Cookie: id=1; id=2
    /// ```
    public mutating func addCookie(cookie: String) {
        add(cookie, isReplacing: false)
    }

    /// Adds several cookies to this request; see ``setCookie(cookie:)``.
    public mutating func setCookies(cookies: [String]) {
        for cookie in cookies { setCookie(cookie: cookie) }
    }

    private mutating func add(_ cookie: String, isReplacing: Bool) {
        for (index, text) in cookie.split(separator: ";", omittingEmptySubsequences: true).enumerated() {
            if index > 0, CookieAttributes.isName(text) { continue }
            guard let pair = CookiePair(text) else {
                recordProblem(NetworkFailure("a cookie is not of the form name=value"), of: .header("cookie"))
                continue
            }
            var pairs = CookiePair.all(in: fields[.cookie])
            if isReplacing { pairs.removeAll { $0.name == pair.name } }
            replaceHeader(name: NetworkConstants.headerCookie, value: CookiePair.header(pairs + [pair]))
        }
    }
}

/// A cookie in a `Cookie` header.
struct CookiePair {
    let name: String
    let value: String

    init?(_ text: some StringProtocol) {
        guard let equals = text.firstIndex(of: "=") else { return nil }
        name = String(text[..<equals].trimmingPrefix(while: \.isWhitespace))
        value = String(text[text.index(after: equals)...])
        if name.isEmpty { return nil }
    }

    static func all(in header: String?) -> [CookiePair] {
        (header ?? "").split(separator: ";").compactMap { CookiePair($0) }
    }

    static func header(_ pairs: [CookiePair]) -> String {
        pairs.map { "\($0.name)=\($0.value)" }.joined(separator: "; ")
    }
}
