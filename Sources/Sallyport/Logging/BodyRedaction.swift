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
        if type.hasSuffix("html") { return lines(hidingFields(hidingAttributes(text))) }
        if type.hasSuffix("xml") { return lines(hidingElements(hidingAttributes(text))) }
        return type.hasPrefix("text/") || textTypes.contains(String(type)) ? json(body) ?? lines(text) : nil
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

    /// Masks the values of XML or HTML attributes with the name of a secret, as in `<user password="…">`.
    private static func hidingAttributes(_ text: String) -> String {
        text.replacing(/([A-Za-z_][A-Za-z0-9_:.\-]*)\s*=\s*(?:"[^"]*"|'[^']*')/) { match in
            let name = match.output.1
            return SecretNames.contains(localName(name)) ? "\(name)=\"\(mask)\"" : String(match.output.0)
        }
    }

    /// Masks the content of XML elements with the name of a secret, as in `<password>…</password>`.
    private static func hidingElements(_ text: String) -> String {
        text.replacing(/<([A-Za-z_][A-Za-z0-9_:.\-]*)([^<>]*)>[^<>]+<\//) { match in
            let (all, name, attributes) = match.output
            return SecretNames.contains(localName(name)) ? "<\(name)\(attributes)>\(mask)</" : String(all)
        }
    }

    /// Masks the values of hidden fields and passwords in HTML, and those of fields with the name of a secret.
    private static func hidingFields(_ text: String) -> String {
        text.replacing(/<(?:[iI][nN][pP][uU][tT]|[mM][eE][tT][aA])\b[^>]*>/) { match in
            let tag = String(match.output)
            let attributes = tag.matches(of: /([A-Za-z\-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>"']+))/)
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
