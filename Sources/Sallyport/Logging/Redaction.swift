import Foundation
import HTTPTypes
import SallyportTransport

/// Masks secrets in text, so that it can be shown or logged.
package enum Redaction {
    package static let mask = "***"

    /// The maximum depth of nested encodings that are searched for secrets. Deeper text is masked: each level may double the work,
    /// and the text may come from an attacker.
    private static let maximumDepth = 5

    /// The maximum size of a body that is shown, in bytes.
    private static let maximumBodySize = 8192

    /// Returns a Boolean value that indicates whether a header value is a secret, because of its mark or its name.
    package static func isSecret(_ field: HTTPField) -> Bool {
        field.indexingStrategy == .disallow || SecretNames.contains(field.name.canonicalName)
    }

    /// Returns a Boolean value that indicates whether a header value is a secret or contains one, such as a token after `Bearer`.
    package static func containsSecret(_ field: HTTPField) -> Bool {
        isSecret(field) || text(field.value) != field.value
    }

    /// Returns a header as one line that is safe to show, with secrets masked and control characters escaped.
    package static func line(_ field: HTTPField) -> String {
        "\(field.name.rawName): \(isSecret(field) ? mask : VisibleText.line(text(field.value)))"
    }

    /// Returns the method and URL of a request, with secrets in the query masked.
    static func line(_ request: HttpRequest) -> String {
        let target = try? RequestTarget(url: request.url, parameters: request.parameters)
        return target.map { "\(request.getMethod().rawValue) \(text($0.url))" } ?? request.description
    }

    /// Returns a URL without user, query and fragment.
    package static func shortUrl(_ url: String) -> String {
        let end = url.firstIndex { $0 == "?" || $0 == "#" } ?? url.endIndex
        let short = VisibleText.line(withoutTokens(withoutUser(String(url[..<end]))))
        return end < url.endIndex && url[end] == "?" ? short + "?…" : short
    }

    /// Returns a possibly malformed URL without user, query and fragment. A password is also masked in unusual positions.
    static func refusedUrl(_ url: String) -> String {
        guard let at = url.lastIndex(of: "@") else { return shortUrl(url) }
        let start = url.range(of: "//").map(\.upperBound).map { min($0, at) } ?? url.startIndex
        return shortUrl(url[..<start] + mask + url[at...])
    }

    /// Returns text that may contain pairs such as `token=abc`, such as a URL, a form or a header value, with secrets masked.
    package static func text(_ text: String) -> String { self.text(text, depth: 0) }

    static func text(_ text: String, depth: Int) -> String {
        if isJsonWebToken(text) || isRegistration(text) { return mask }
        guard text.utf8.contains(UInt8(ascii: "=")) else { return withoutTokens(withoutUser(text)) }
        var result = ""
        var rest = withoutUser(text)[...]
        while let equals = rest.firstIndex(of: "=") {
            let nameStart = rest[..<equals].lastIndex { "?#&;, <\"".contains($0) }.map(rest.index(after:))
            let name = rest[(nameStart ?? rest.startIndex)..<equals]
            var value = rest[rest.index(after: equals)...].prefix { !"?#&; >\"".contains($0) }
            let isSecret = isSecret(name: name, value: value, depth: depth)
            // A secret may contain characters that end other values: a query may contain ? and ;, a badly escaped form any character.
            if isSecret { value = rest[value.startIndex...].prefix { !"&#".contains($0) } }
            result += rest[...equals]
            result += isSecret ? mask : String(value)
            rest = rest[value.endIndex...]
        }
        return withoutTokens(result + rest)
    }

    private static func isSecret(name: Substring, value: Substring, depth: Int) -> Bool {
        let isMaskedBefore = value == "'\(mask)'"
        if value.isEmpty || isMaskedBefore { return false }
        if SecretNames.contains(decoded(name)) { return true }
        let inner = decoded(value)
        if inner == value { return isJsonWebToken(inner) }
        return depth == maximumDepth || text(inner, depth: depth + 1) != inner
            || isJsonWithSecret(inner, depth: depth + 1)
    }

    private static func isJsonWithSecret(_ text: String, depth: Int) -> Bool {
        "{[".contains(text.first ?? " ") && json(Data(text.utf8), depth: depth)?.contains(mask) == true
    }

    private static func decoded(_ text: Substring) -> String {
        guard text.utf8.contains(UInt8(ascii: "%")) else { return String(text) }
        return text.removingPercentEncoding ?? String(text)
    }

    /// Returns a Boolean value that indicates whether a text is a JOSE token in compact serialization.
    static func isJsonWebToken(_ text: String) -> Bool {
        text.hasPrefix("eyJ") && text.count { $0 == "." } >= 2
    }

    /// Returns a Boolean value that indicates whether a text contains a URI that registers a device for push or one-time passwords, and
    /// thereby the secret of the device. Scripts contain it escaped, so only its scheme is compared.
    package static func isRegistration(_ text: String) -> Bool {
        let lowercased = text.utf8.map { $0 | 0x20 }
        let schemes: [StaticString] = ["pushauth", "mfauth", "otpauth"]
        return schemes.contains { lowercased.containsText($0) }
    }

    /// The authentication schemes whose credentials are masked, with the space that follows.
    private static let schemes: [StaticString] = ["bearer ", "basic ", "dpop ", "digest "]

    /// Returns the text with all JOSE tokens, the credentials after `Bearer` and other schemes, and the users of URLs masked.
    package static func withoutCredentials(_ text: String) -> String { withoutTokens(withoutUser(text)) }

    /// Returns the text with all JOSE tokens and the credentials after `Bearer` and other schemes masked.
    ///
    /// A challenge, in which a realm follows the scheme, contains no secret. Because regular expressions are slow, they run only if
    /// the text contains a string that each of them requires.
    private static func withoutTokens(_ text: String) -> String {
        var text = text
        let lowercased = text.utf8.map { $0 | 0x20 }
        if schemes.contains(where: { lowercased.containsText($0) }) {
            text.replace(/(?i)\b(bearer|basic|dpop|digest) +(?!realm=)[^\s,;"]+/) { "\($0.output.1) \(mask)" }
        }
        if lowercased.containsText("eyj") {
            // The rest is optional, so that a long word with "eyJ" in many positions is not searched from each of them.
            text.replace(/eyJ[A-Za-z0-9_-]*+(\.[A-Za-z0-9_-]*+\.[A-Za-z0-9_.-]*+)?/) { match in
                match.output.1 == nil ? String(match.output.0) : mask
            }
        }
        return text
    }

    /// Returns the text with the user and password of each URL in it masked.
    private static func withoutUser(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "@")) else { return text }
        return text.replacing(/\/\/[^\/?#\s]*@/) { _ in "//\(mask)@" }
    }
}

// MARK: Messages and bodies

extension Redaction {
    /// Returns a message on several lines, with secrets masked.
    static func message(_ start: String, _ fields: HTTPFields, body: RequestBody) -> String {
        let bodyText =
            switch body {
            case .none: ""
            case .data(let data): text(of: data, contentType: fields[.contentType])
            case .file: "(a file)"
            case .stream: "(a stream)"
            }
        return ([start] + fields.map(line) + [bodyText]).filter { !$0.isEmpty }.joined(separator: "\n")
    }

    /// Returns a message on several lines, with secrets masked. If `body` is `nil`, the body is streamed.
    static func message(_ start: String, _ fields: HTTPFields, body: Data?) -> String {
        let bodyText = body.map { text(of: $0, contentType: fields[.contentType]) } ?? "(a stream)"
        return ([start] + fields.map(line) + [bodyText]).filter { !$0.isEmpty }.joined(separator: "\n")
    }

    /// Returns a JSON or form body with secrets masked, or only the size of any other body, because it cannot be searched.
    static func text(of body: Data, contentType: String?) -> String {
        if body.isEmpty { return "" }
        let size = "(\(body.count) bytes)"
        if body.count > maximumBodySize { return size }
        if isJson(contentType) { return json(body) ?? size }
        if isForm(contentType) { return text(String(decoding: body, as: UTF8.self)) }
        return size
    }

    /// Returns the value of a field with secrets masked. If the field is a secret by its name, the complete value is masked.
    package static func value(_ text: String, of name: String) -> String {
        SecretNames.contains(name) ? mask : json(Data(text.utf8)) ?? maskingHeaderLines(self.text(text))
    }

    /// Returns a text with the values of header lines masked whose names are those of secrets, as in `Cookie: sid=…`.
    static func maskingHeaderLines(_ text: String) -> String {
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        guard lines.contains(where: { startOfSecret(in: $0) != nil }) else { return text }
        let masked = lines.map { line in startOfSecret(in: line).map { "\($0): \(mask)" } ?? String(line) }
        return masked.joined(separator: "\n")
    }

    /// Returns the part of a header line before the colon if it is the name of a secret. The line may be an item of a list in YAML.
    private static func startOfSecret(in line: Substring) -> Substring? {
        guard let colon = line.firstIndex(of: ":") else { return nil }
        guard line[colon...].dropFirst().utf8.first?.isBlank == true else { return nil }
        let start = line[..<colon]
        let name = start.drop { "- \t".contains($0) }.trimmingBlanks()
        return SecretNames.containsWord(String(name)) ? start : nil
    }

    /// Returns JSON with secrets masked, or `nil` if the data is not JSON.
    static func json(_ data: Data, depth: Int = 0) -> String? {
        guard let value = try? JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed) else { return nil }
        let options: JSONSerialization.WritingOptions = [.fragmentsAllowed, .sortedKeys, .withoutEscapingSlashes]
        let masked = try? JSONSerialization.data(withJSONObject: redacted(value, depth), options: options)
        return masked.map { String(decoding: $0, as: UTF8.self) }
    }

    private static func redacted(_ value: Any, _ depth: Int) -> Any {
        switch value {
        case let object as [String: Any]: redacted(object: object, depth)
        case let array as [Any]: redacted(array: array, depth)
        case let string as String:
            "{[".contains(string.first ?? " ")
                ? json(Data(string.utf8), depth: depth) ?? text(string, depth: depth)
                : maskingHeaderLines(text(string, depth: depth))
        default: value
        }
    }

    /// Masks the elements after the name of a secret, as in `["Cookie", "sid=…"]`.
    private static func redacted(array: [Any], _ depth: Int) -> [Any] {
        let name = array.firstIndex { ($0 as? String).map(SecretNames.containsWord) ?? false } ?? array.endIndex
        return array.indices.map { $0 > name ? mask : redacted(array[$0], depth) }
    }

    /// Masks members with a secret name, and the value in objects such as `{"name": "password", "value": …}`.
    private static func redacted(object: [String: Any], _ depth: Int) -> [String: Any] {
        let namesSecret = ["name", "key", "id", "field"].contains { member in
            (object[member] as? String).map { SecretNames.contains($0) } ?? false
        }
        var copy: [String: Any] = [:]
        for (name, value) in object {
            let isSecret = SecretNames.contains(name) || namesSecret && ["value", "values"].contains(name)
            copy[name] = isSecret ? mask : redacted(value, depth)
        }
        return copy
    }
}

/// The names of headers, parameters and JSON members whose values are secrets.
package enum SecretNames {
    /// Returns a Boolean value that indicates whether the value of a header, parameter or JSON member is treated as a secret.
    package static func contains(_ name: some StringProtocol) -> Bool {
        let letters = name.lowercased().utf8.filter { !separators.contains($0) }
        return names.contains(letters) || parts.contains { letters.containsText($0) } && !publicNames.contains(letters)
    }

    /// Returns a Boolean value that indicates whether a text is a single word, and the name of a secret.
    package static func containsWord(_ text: String) -> Bool {
        !text.contains(" ") && contains(text)
    }

    private static let separators = ASCIISet("-_. []")

    /// Names that contain one of ``parts`` although their values are not secrets: a flag of CORS.
    private static let publicNames: Set<[UInt8]> = [Array("accesscontrolallowcredentials".utf8)]

    /// The complete names of secrets, without hyphens and underscores.
    private static let names: Set<[UInt8]> = Set(
        [
            "code", "otp", "totp", "pin", "pass", "pwd", "auth", "jwt", "key", "sig", "authid", "xauth", "dpop",
            "mfacode",
            "usercode", "devicecode", "samlresponse", "iplanetdirectorypro", "authenticationinfo", "suspendedid",
        ].map { Array($0.utf8) }
    )

    /// Substrings that mark a secret: every name that contains one of them is the name of a secret.
    private static let parts: [StaticString] = [
        "token", "secret", "password", "passwd", "passphrase", "passcode", "apikey", "accesskey", "privatekey",
        "authkey", "masterkey", "subscriptionkey", "functionskey", "applicationkey", "pwd", "jwt", "otp", "pincode",
        "userpin", "authcode", "smscode", "verificationcode", "recoverycode", "assertion", "verifier", "credential",
        "signature", "cookie", "session", "authorization",
    ]
}
