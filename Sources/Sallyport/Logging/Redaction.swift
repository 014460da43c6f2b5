import Foundation
import HTTPTypes
import SallyportTransport

/// Makes text that may be shown to anyone out of text that may hold secrets.
package enum Redaction {
    static let mask = "***"

    /// Whether a header's value is a secret: it was marked as one, or its name says so.
    static func isSecret(_ field: HTTPField) -> Bool {
        field.indexingStrategy == .disallow || SecretNames.contains(field.name.canonicalName)
    }

    /// A header as one line.
    package static func line(_ field: HTTPField) -> String {
        "\(field.name.rawName): \(isSecret(field) ? mask : text(field.value))"
    }

    /// A request's method and URL, with the values in its query that are secrets masked.
    static func line(_ request: HttpRequest) -> String {
        let target = try? RequestTarget(url: request.url, parameters: request.parameters)
        return target.map { "\(request.getMethod().rawValue) \(text($0.url))" } ?? request.description
    }

    /// A URL without user, query and fragment.
    static func shortUrl(_ url: String) -> String {
        let end = url.firstIndex { $0 == "?" || $0 == "#" } ?? url.endIndex
        let short = printable(withoutUser(String(url[..<end])))
        return end < url.endIndex && url[end] == "?" ? short + "?…" : short
    }

    /// A URL that may be broken, and so hold a password where none is looked for.
    static func refusedUrl(_ url: String) -> String {
        guard let at = url.lastIndex(of: "@") else { return shortUrl(url) }
        let start = url.range(of: "//").map(\.upperBound).map { min($0, at) } ?? url.startIndex
        return shortUrl(url[..<start] + mask + url[at...])
    }

    /// Any text in which pairs such as `token=abc` may stand: a URL, a form, a header's value.
    package static func text(_ text: String) -> String {
        if isJsonWebToken(text) { return mask }
        var result = ""
        var rest = withoutUser(text)[...]
        while let equals = rest.firstIndex(of: "=") {
            let nameStart = rest[..<equals].lastIndex { "?#&;, <\"".contains($0) }.map(rest.index(after:))
            let name = rest[(nameStart ?? rest.startIndex)..<equals]
            let value = rest[rest.index(after: equals)...].prefix { !"?#&; >\"".contains($0) }
            result += rest[...equals]
            result += isSecret(name: name, value: value) ? mask : String(value)
            rest = rest[value.endIndex...]
        }
        return result + rest
    }

    private static func isSecret(name: Substring, value: Substring) -> Bool {
        if value.isEmpty { return false }
        if SecretNames.contains(decoded(name)) { return true }
        let inner = decoded(value)
        return isJsonWebToken(inner) || inner != value && text(inner) != inner
    }

    private static func decoded(_ text: Substring) -> String {
        text.removingPercentEncoding ?? String(text)
    }

    /// Whether a text is a token of JOSE in its compact form, whatever it is called.
    static func isJsonWebToken(_ text: String) -> Bool {
        text.hasPrefix("eyJ") && text.count { $0 == "." } >= 2
    }

    private static func withoutUser(_ url: String) -> String {
        guard let slashes = url.range(of: "//") else { return url }
        let authority = url[slashes.upperBound...].prefix { !"/?#".contains($0) }
        guard let at = authority.lastIndex(of: "@") else { return url }
        return url[..<slashes.upperBound] + mask + url[at...]
    }
}
