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
        // Before quoted values, because the attribute "key" has the name of a secret.
        if isXml(contentType) { return lines(hidingQuotedValues(hidingElements(text, isSecret: SecretNames.contains))) }
        guard type.hasPrefix("text/") || textTypes.contains(String(type)) else { return nil }
        return json(body) ?? lines(hidingQuotedValues(type.hasSuffix("yaml") ? hidingBlocks(text) : text))
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
            return masked ?? maskingAssignment(line) ?? maskingHeaderLines(self.text(String(line)))
        }
        .joined(separator: "\n")
    }

    /// Returns a line such as `password = secret` with the value masked; `nil` if it has another form. Values in quotation marks and lines
    /// without blanks are masked by other functions.
    private static func maskingAssignment(_ line: Substring) -> String? {
        guard let equals = line.firstIndex(of: "=") else { return nil }
        let (name, value) = (line[..<equals], line[equals...].dropFirst())
        guard name.utf8.last?.isBlank == true || value.utf8.first?.isBlank == true,
            let first = value.trimmingBlanks().first, !"\"'".contains(first),
            SecretNames.containsWord(String(name.drop { "#; \t".contains($0) }.trimmingBlanks()))
        else { return nil }
        return "\(name)= \(mask)"
    }

    /// Masks the lines of YAML that belong to the name of a secret on a line of its own, such as a list of passwords or a block of text.
    private static func hidingBlocks(_ text: String) -> String {
        /// The column of the name whose lines are masked.
        var column: Int?
        let lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
        return lines.map { line -> Substring in
            let content = line.drop { $0 == " " }
            if content.isEmpty { return line }
            let indentation = line.utf8.count - content.utf8.count
            let isItem = content.hasPrefix("- ")
            if let column, indentation > column || indentation == column && isItem {
                return line[..<content.startIndex] + (isItem ? "- " : "") + mask
            }
            let named = content.drop { $0 == "-" || $0 == " " }
            column = beginsSecretBlock(named) ? line.utf8.count - named.utf8.count : nil
            return line
        }
        .joined(separator: "\n")
    }

    /// Returns a Boolean value that indicates whether a line of YAML has the name of a secret, and its value is on the next lines.
    private static func beginsSecretBlock(_ line: Substring) -> Bool {
        guard let colon = line.firstIndex(of: ":") else { return false }
        let value = line[colon...].dropFirst().trimmingBlanks()
        return (value.first.map { "|>".contains($0) } ?? true)
            && SecretNames.containsWord(String(line[..<colon].trimmingBlanks()))
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
            let opening = "\(quote)\(quote)"
            if text[start.range.upperBound...].hasPrefix(opening) {
                // A string on several lines, as in TOML.
                let content = text[start.range.upperBound...].dropFirst(2)
                result += text[position..<content.startIndex] + mask
                position = content.firstRange(of: opening + "\(quote)")?.lowerBound ?? text.endIndex
                continue
            }
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
    /// It also masks texts and values that an attribute names, as in `<entry key="password">…</entry>` and
    /// `<property name="password" value="…"/>`, and those after the key of a property list.
    ///
    /// - Parameters:
    ///   - isSecret: Decides by the name of an element, without its prefix, or by another name.
    ///   - found: A closure that is called with each content that is masked.
    package static func hidingElements(
        _ text: String,
        isSecret: (Substring) -> Bool,
        found: (Substring) -> Void = { _ in }
    ) -> String {
        var result = ""
        var position = text.startIndex
        let isPropertyList = text.contains("<plist")
        var followsSecretKey = false
        for tag in text.matches(of: /<([A-Za-z_][A-Za-z0-9_:.\-]*+)[^<>]*+>/) where tag.range.lowerBound >= position {
            let (start, name) = tag.output
            let rest = text[tag.range.upperBound...]
            if isPropertyList, name == "key" {
                followsSecretKey = isSecret(rest.prefix(100).prefix { $0 != "<" })
                continue
            }
            let isNamed = hasSecretName(start, isSecret)
            if isNamed {
                result += text[position..<tag.range.lowerBound] + hidingValue(in: start, found)
                position = tag.range.upperBound
            }
            let isHidden = followsSecretKey || isSecret(localName(name)) || isNamed && beginsWithText(rest)
            followsSecretKey = false
            if start.hasSuffix("/>") || !isHidden { continue }
            let content = rest[..<(rest.firstRange(of: "</\(name)")?.lowerBound ?? rest.endIndex)]
            if content.isEmpty { continue }
            found(content)
            result += text[position..<tag.range.upperBound] + mask
            position = content.endIndex
        }
        return result + text[position...]
    }

    /// Returns a Boolean value that indicates whether a tag has an attribute such as `name="password"`.
    private static func hasSecretName(_ tag: Substring, _ isSecret: (Substring) -> Bool) -> Bool {
        guard tag.utf8.contains(UInt8(ascii: "=")) else { return false }
        return tag.matches(of: /\b(?:[kK]ey|[nN]ame)\s*=\s*(?:"([^"]*)"|'([^']*)')/).contains { attribute in
            isSecret(attribute.output.1 ?? attribute.output.2 ?? "")
        }
    }

    /// Masks the attribute `value` of a tag.
    private static func hidingValue(in tag: Substring, _ found: (Substring) -> Void) -> String {
        String(tag).replacing(/\b([vV]alue)\s*=\s*(?:"([^"]+)"|'([^']+)')/) { attribute in
            found(attribute.output.2 ?? attribute.output.3 ?? "")
            return "\(attribute.output.1)=\"\(mask)\""
        }
    }

    /// Returns a Boolean value that indicates whether an element contains a text and no elements.
    private static func beginsWithText(_ content: Substring) -> Bool {
        let end = content.drop { $0 != "<" }
        return end.hasPrefix("</") || end.hasPrefix("<![CDATA[")
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
