import Foundation
import SallyportTransport

extension Redaction {
    /// Returns the text of a body with secrets masked; `nil` if the body cannot be searched for secrets, because it is not text.
    ///
    /// JSON, forms, XML, HTML and other text are searched. JSON is returned with its members in alphabetical order.
    package static func body(_ body: Data, contentType: String?) -> String? {
        if body.isEmpty { return "" }
        let type = (contentType ?? "").lowercased().prefix { $0 != ";" && $0 != " " }
        if isJson(contentType) || type.isEmpty { return json(body) }
        let text = BodyText.decode(body, contentType: contentType)
        if isForm(contentType) { return self.text(text) }
        if type.hasSuffix("html") { return lines(hidingFields(hidingQuotedValues(text))) }
        if isXml(contentType) { return lines(hidingElements(hidingQuotedValues(text), isSecret: SecretNames.contains)) }
        guard type.hasPrefix("text/") || textTypes.contains(String(type)) else { return nil }
        return json(body) ?? lines(hidingQuotedValues(text))
    }

    /// Returns the beginning of a text body with secrets masked, up to its last complete line; `nil` if it cannot be searched by lines.
    package static func bodyStart(_ start: Data, contentType: String?) -> String? {
        if isJson(contentType) || isForm(contentType) { return nil }
        guard let end = start.lastIndex(of: UInt8(ascii: "\n")) else { return nil }
        return body(start[...end], contentType: contentType)
    }

    private static let textTypes: Set = [
        "application/javascript", "application/x-ndjson", "application/jsonl", "application/json-seq",
        "application/graphql",
        "application/yaml", "application/x-yaml", "application/toml", "application/sql",
    ]

    /// Masks each line. A line of an event stream, or of a list of JSON values, may contain JSON.
    private static func lines(_ text: String) -> String {
        let lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
        return lines.map { line in
            let field = line.hasPrefix("data:") ? line.prefix(5) : ""
            let value = line.dropFirst(field.count).drop { $0 == " " }
            let isJson = value.first == "{" || value.first == "["
            let masked = isJson ? json(Data(value.utf8)).map { field.isEmpty ? $0 : "\(field) \($0)" } : nil
            return masked ?? maskingHeaderLines(self.text(String(line)))
        }
        .joined(separator: "\n")
    }

    /// Returns a Boolean value that indicates whether a media type is XML or based on XML (RFC 7303).
    package static func isXml(_ contentType: String?) -> Bool {
        contentType?.lowercased().prefix { $0 != ";" && $0 != " " }.hasSuffix("xml") == true
    }

    /// Masks quoted values after the name of a secret, as in `<user password="…">`, `password = "…"` and `"password":"…"`.
    ///
    /// It searches for the starts of quoted values and then backwards for their names: the search for names followed by values takes
    /// quadratic time for a text without quotation marks.
    private static func hidingQuotedValues(_ text: String) -> String {
        var result = ""
        var position = text.startIndex
        for start in text.matches(of: /[=:]\s*\\*(["'])/) where start.range.lowerBound >= position {
            let name = nameAtEnd(of: text[position..<start.range.lowerBound])
            guard let quote = start.output.1.first, SecretNames.contains(name) else { continue }
            var isEscaped = false
            let end = text[start.range.upperBound...].firstIndex { character in
                if !isEscaped, character == quote { return true }
                isEscaped = !isEscaped && character == "\\"
                return false
            }
            result += text[position..<start.range.upperBound] + mask
            position = end ?? text.endIndex
        }
        return result + text[position...]
    }

    /// Returns the name at the end of a text, before blanks and quotation marks.
    private static func nameAtEnd(of text: Substring) -> Substring {
        let end = text.lastIndex { !($0.isWhitespace || "\"'\\".contains($0)) }
        let named = end.map { text[...$0] } ?? ""
        let start = named.lastIndex { !($0.isASCII && ($0.isLetter || $0.isNumber) || "_.-".contains($0)) }
        return start.map { named[named.index(after: $0)...] } ?? named
    }

    /// Masks the content of XML elements with the name of a secret, as in `<password>…</password>`, including the elements in it.
    ///
    /// - Parameters:
    ///   - isSecret: Decides by the name of an element, without its prefix.
    ///   - found: A closure that is called with each content that is masked.
    package static func hidingElements(
        _ text: String,
        isSecret: (Substring) -> Bool,
        found: (Substring) -> Void = { _ in }
    ) -> String {
        var result = ""
        var position = text.startIndex
        for tag in text.matches(of: /<([A-Za-z_][A-Za-z0-9_:.\-]*+)[^<>]*+>/) where tag.range.lowerBound >= position {
            let (start, name) = tag.output
            if start.hasSuffix("/>") || !isSecret(localName(name)) { continue }
            let rest = text[tag.range.upperBound...]
            let content = rest[..<(rest.firstRange(of: "</\(name)")?.lowerBound ?? rest.endIndex)]
            if content.isEmpty { continue }
            found(content)
            result += text[position..<tag.range.upperBound] + mask
            position = content.endIndex
        }
        return result + text[position...]
    }

    /// Masks the values of hidden fields and passwords in HTML, and those of fields with the name of a secret.
    private static func hidingFields(_ text: String) -> String {
        // The body may end in a tag. A limit for names avoids quadratic time for a tag with a long word.
        text.replacing(/<(?:[iI][nN][pP][uU][tT]|[mM][eE][tT][aA])\b[^>]*+>?/) { match in
            let tag = String(match.output)
            let attributes = tag.matches(of: /([A-Za-z\-]{1,32}+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>"']+))/)
            let isSecret = attributes.contains { attribute in
                let (_, name, double, single, bare) = attribute.output
                let value = String(double ?? single ?? bare ?? "")
                switch name.lowercased() {
                case "type": return ["hidden", "password"].contains(value.lowercased())
                case "name", "id": return SecretNames.contains(value)
                default: return false
                }
            }
            if !isSecret { return tag }
            return tag.replacing(/\b(value|content)\s*=\s*(?:"[^"]*"|'[^']*'|[^\s>"']+)/) {
                "\($0.output.1)=\"\(mask)\""
            }
        }
    }

    private static func localName(_ name: Substring) -> Substring {
        name.lastIndex(of: ":").map { name[name.index(after: $0)...] } ?? name
    }
}
