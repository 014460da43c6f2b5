import Foundation
import HTTPTypes
import SallyportTransport

/// Makes text that may be shown to anyone out of text that may hold secrets.
package enum Redaction {
    static let mask = "***"

    /// So often is looked into what a text holds in another encoding. What is deeper is masked: each step may double the
    /// work, and the text may be a stranger's.
    private static let deepest = 5

    /// Whether a header's value is a secret: it was marked as one, or its name says so.
    static func isSecret(_ field: HTTPField) -> Bool {
        field.indexingStrategy == .disallow || SecretNames.contains(field.name.canonicalName)
    }

    /// Whether a header's value is a secret or has one in it, such as a token behind `Bearer`.
    static func holdsSecret(_ field: HTTPField) -> Bool {
        isSecret(field) || text(field.value) != field.value
    }

    /// Returns a header as one line that is safe to show, with secrets masked and control characters escaped.
    package static func line(_ field: HTTPField) -> String {
        "\(field.name.rawName): \(isSecret(field) ? mask : VisibleText.line(text(field.value)))"
    }

    /// A request's method and URL, with the values in its query that are secrets masked.
    static func line(_ request: HttpRequest) -> String {
        let target = try? RequestTarget(url: request.url, parameters: request.parameters)
        return target.map { "\(request.getMethod().rawValue) \(text($0.url))" } ?? request.description
    }

    /// A URL without user, query and fragment.
    static func shortUrl(_ url: String) -> String {
        let end = url.firstIndex { $0 == "?" || $0 == "#" } ?? url.endIndex
        let short = VisibleText.line(withoutTokens(withoutUser(String(url[..<end]))))
        return end < url.endIndex && url[end] == "?" ? short + "?…" : short
    }

    /// A URL that may be broken, and so hold a password where none is looked for.
    static func refusedUrl(_ url: String) -> String {
        guard let at = url.lastIndex(of: "@") else { return shortUrl(url) }
        let start = url.range(of: "//").map(\.upperBound).map { min($0, at) } ?? url.startIndex
        return shortUrl(url[..<start] + mask + url[at...])
    }

    /// Any text in which pairs such as `token=abc` may stand: a URL, a form, a header's value.
    package static func text(_ text: String) -> String { self.text(text, depth: 0) }

    static func text(_ text: String, depth: Int) -> String {
        if isJsonWebToken(text) { return mask }
        var result = ""
        var rest = withoutUser(text)[...]
        while let equals = rest.firstIndex(of: "=") {
            let nameStart = rest[..<equals].lastIndex { "?#&;, <\"".contains($0) }.map(rest.index(after:))
            let name = rest[(nameStart ?? rest.startIndex)..<equals]
            var value = rest[rest.index(after: equals)...].prefix { !"?#&; >\"".contains($0) }
            let isSecret = isSecret(name: name, value: value, depth: depth)
            // A secret may hold what ends other values: a query allows ? and ;, and a badly escaped form anything.
            if isSecret { value = rest[value.startIndex...].prefix { !"&#".contains($0) } }
            result += rest[...equals]
            result += isSecret ? mask : String(value)
            rest = rest[value.endIndex...]
        }
        return withoutTokens(result + rest)
    }

    private static func isSecret(name: Substring, value: Substring, depth: Int) -> Bool {
        if value.isEmpty { return false }
        if SecretNames.contains(decoded(name)) { return true }
        let inner = decoded(value)
        if inner == value { return isJsonWebToken(inner) }
        return depth == deepest || text(inner, depth: depth + 1) != inner || isJsonWithSecret(inner, depth: depth + 1)
    }

    private static func isJsonWithSecret(_ text: String, depth: Int) -> Bool {
        "{[".contains(text.first ?? " ") && json(Data(text.utf8), depth: depth)?.contains(mask) == true
    }

    private static func decoded(_ text: Substring) -> String {
        text.removingPercentEncoding ?? String(text)
    }

    /// Whether a text is a token of JOSE in its compact form, whatever it is called.
    static func isJsonWebToken(_ text: String) -> Bool {
        text.hasPrefix("eyJ") && text.count { $0 == "." } >= 2
    }

    /// The text with what follows `Bearer` and the like masked, and each token of JOSE in it.
    ///
    /// A challenge, which names its realm there, has no secret. Regular expressions are slow: they look only where there is
    /// what each must find.
    private static func withoutTokens(_ text: String) -> String {
        var text = text
        if text.utf8.contains(UInt8(ascii: " ")) {
            text.replace(/(?i)\b(bearer|basic|dpop|digest) +(?!realm=)[^\s,;"]+/) { "\($0.output.1) \(mask)" }
        }
        if text.utf8.contains("eyJ".utf8) {
            text.replace(/eyJ[A-Za-z0-9_-]*\.[A-Za-z0-9_-]*\.[A-Za-z0-9_.-]*/) { _ in mask }
        }
        return text
    }

    /// The text without what stands before the host of each URL in it.
    private static func withoutUser(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "@")) else { return text }
        return text.replacing(/\/\/[^\/?#\s]*@/) { _ in "//\(mask)@" }
    }
}
