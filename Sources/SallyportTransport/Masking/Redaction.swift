import Foundation
import HTTPTypes

/// Masks secrets in text for display and logs; see ``SecretMasker``.
package enum Redaction {
    package static let mask = SecretMasker.mask

    /// The maximum size of a body that is shown, in bytes.
    private static let maximumBodySize = 8192

    private static func display(_ mask: (inout SecretMasker) -> String) -> String {
        var masker = SecretMasker(style: .display)
        return mask(&masker)
    }

    /// Returns a Boolean value that indicates whether a header value is a secret, because of its mark or its name.
    package static func isSecret(_ field: HTTPField) -> Bool {
        field.indexingStrategy == .disallow || SecretNames.contains(field.name.canonicalName)
    }

    /// Returns a Boolean value that indicates whether a header value is a secret or contains one, such as a token after `Bearer`.
    package static func containsSecret(_ field: HTTPField) -> Bool {
        if isSecret(field) { return true }
        return value(of: field) != field.value
    }

    /// Returns the value of a header with secrets masked.
    package static func value(of field: HTTPField) -> String { display { $0.value(of: field) } }

    /// Returns a header as one line that is safe to show, with secrets masked and control characters escaped.
    package static func line(_ field: HTTPField) -> String {
        var masker = SecretMasker(style: .display)
        return line(field, &masker)
    }

    /// Returns a header as one line that is safe to show, with secrets masked and control characters escaped.
    package static func line(_ field: HTTPField, _ masker: inout SecretMasker) -> String {
        let value = masker.value(of: field)
        return "\(field.name.rawName): \(isSecret(field) ? mask : VisibleText.line(masker.masked(value)))"
    }

    /// Returns text that may contain pairs such as `token=abc`, such as a URL, a form or a header value, with secrets masked.
    package static func text(_ text: String) -> String {
        SecretMasker.mayContainSecret(text) ? display { $0.text(text) } : text
    }

    /// Returns a URL without user, query and fragment.
    package static func shortUrl(_ url: String) -> String {
        let end = url.firstIndex { $0 == "?" || $0 == "#" } ?? url.endIndex
        let short = VisibleText.line(display { $0.withoutCredentials(String(url[..<end])) })
        return end < url.endIndex && url[end] == "?" ? short + "?…" : short
    }

    /// Returns a possibly malformed URL without user, query and fragment. A password is also masked in unusual positions.
    package static func refusedUrl(_ url: String) -> String {
        guard let at = url.lastIndex(of: "@") else { return shortUrl(url) }
        let start = url.range(of: "//").map(\.upperBound).map { min($0, at) } ?? url.startIndex
        return shortUrl(url[..<start] + mask + url[at...])
    }

    /// Returns the value of a field with secrets masked. If the field is a secret by its name, the complete value is masked.
    package static func value(_ text: String, of name: String) -> String {
        SecretPolicy.standard.isSecret(name, value: text) ? mask : json(Data(text.utf8)) ?? display { $0.nested(text) }
    }

    /// Returns JSON with secrets masked, or `nil` if the data is not JSON.
    package static func json(_ data: Data) -> String? { body(data, contentType: "application/json") }

    // MARK: Bodies

    /// Returns a JSON or form body with secrets masked, or only the size of any other body, because it cannot be searched.
    package static func text(of body: Data, contentType: String?) -> String {
        var masker = SecretMasker(style: .display)
        return text(of: body, contentType: contentType, &masker)
    }

    /// Returns a JSON or form body with secrets masked, or only the size of any other body, because it cannot be searched.
    package static func text(of body: Data, contentType: String?, _ masker: inout SecretMasker) -> String {
        if body.isEmpty { return "" }
        let size = "(\(body.count) bytes)"
        guard body.count <= maximumBodySize, isJson(contentType) || isForm(contentType) else { return size }
        return self.body(body, contentType: contentType, &masker) ?? size
    }

    /// Returns the text of a body with secrets masked; `nil` if the body cannot be searched for secrets, because it is not text.
    ///
    /// JSON, forms, XML, HTML and other text are searched. JSON is returned with its members in alphabetical order.
    package static func body(_ body: Data, contentType: String?) -> String? {
        var masker = SecretMasker(style: .display)
        return self.body(body, contentType: contentType, &masker)
    }

    /// Returns the text of a body with secrets masked; `nil` if the body cannot be searched for secrets, because it is not text.
    package static func body(_ body: Data, contentType: String?, _ masker: inout SecretMasker) -> String? {
        masker.body(body, type: contentType).map { masker.masked(String(decoding: $0, as: UTF8.self)) }
    }

    /// Returns the beginning of a text body with secrets masked, up to its last complete line; `nil` if it cannot be searched by lines.
    package static func bodyStart(_ start: Data, contentType: String?, _ masker: inout SecretMasker) -> String? {
        if isJson(contentType) || isForm(contentType) { return nil }
        guard let end = start.lastIndex(of: UInt8(ascii: "\n")) else { return nil }
        return body(start[...end], contentType: contentType, &masker)
    }
}
