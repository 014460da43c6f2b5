import Foundation
import SallyportTransport

/// The explanation and the error code in the body of an error response, in any of the common formats.
///
/// The explanation is a member of a JSON object, the title or else the text of an HTML page, or the text itself. It is one line of
/// limited length, without secrets.
package struct ServerMessage: Sendable {
    /// The names of the members with which an API describes its errors, besides the common ones.
    package struct Names: Sendable {
        /// The name of the object with the members; `nil` if they are in the outermost object.
        package var object: String?
        package var message: String
        package var code: String

        package init(object: String?, message: String, code: String) {
            (self.object, self.message, self.code) = (object, message, code)
        }
    }

    /// The maximum size of a body that is searched, in bytes.
    package static let maximumBodySize = 1 << 20
    /// The maximum length of a text that is searched for secrets, in characters. Much less of it is shown.
    private static let maximumShownSize = 16 << 10
    /// The maximum size of HTML or text that is searched, in bytes.
    private static let maximumTextSize = 64 << 10

    /// The explanation; `nil` if there is none.
    package private(set) var message: String?
    /// The error code in a JSON object; `nil` if there is none besides the explanation.
    package private(set) var code: String?

    /// Searches the body of a response.
    ///
    /// - Parameters:
    ///   - body: The body.
    ///   - contentType: The media type of the body. If it is missing, the content decides.
    ///   - names: The names of members that are searched first.
    ///   - masker: The masker with the secrets in the request, which are masked if the server repeats them.
    ///   - limit: The maximum number of characters, without an ellipsis.
    package init(
        in body: Data,
        contentType: String?,
        names: Names? = nil,
        masking masker: SecretMasker,
        limit: Int = 300
    ) {
        guard !body.isEmpty, body.count <= Self.maximumBodySize else { return }
        func line(_ text: String, _ mask: (String) -> String) -> String? {
            let words = mask(masker.masked(String(text.prefix(Self.maximumShownSize)))).split(
                whereSeparator: \.isWhitespace
            )
            return words.isEmpty ? nil : VisibleText.line(words.joined(separator: " "), longest: limit)
        }
        switch Self.format(of: body, contentType) {
        case .json:
            guard let value = try? JSONDecoder().decode(JsonValue.self, from: body) else { return }
            let own = names.flatMap { names in names.object.map { value[$0] } ?? value }
            let ownMessage = own.flatMap { own in names.flatMap { own[$0.message]?.text } }
            let ownCode = own.flatMap { own in names.flatMap { own[$0.code]?.text } }
            message = (ownMessage ?? Self.message(in: value)).flatMap { line($0, Redaction.text) }
            let codes = [ownCode, value["error"]?["code"]?.text, value["code"]?.text, value["error"]?.text]
            code = codes.lazy.compactMap(\.self).first.flatMap { line($0, Redaction.text) }
            if code == message { code = nil }
        case .html:
            let html = BodyText.decode(body.prefix(Self.maximumTextSize), contentType: contentType)
            message = line(Self.title(of: html) ?? "", Redaction.text) ?? line(Self.text(ofHTML: html), Self.masked)
        case .text:
            let text = BodyText.decode(body.prefix(Self.maximumTextSize), contentType: contentType)
            message = line(text, Self.masked)
        case nil: return
        }
    }

    // MARK: Format

    private enum Format {
        case json, html, text
    }

    /// Returns the format of a body; `nil` if it is not text. Servers also send HTML or text as `application/json`.
    private static func format(of body: Data, _ contentType: String?) -> Format? {
        let type = (contentType ?? "").prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces).lowercased()
        let isJson = type == NetworkConstants.contentTypeJSON || type.hasSuffix("+json")
        guard isJson || type.isEmpty || type.hasPrefix("text/") || type == NetworkConstants.contentTypeForm else {
            return type.hasSuffix("html+xml") || type == "application/xhtml+xml" ? .html : nil
        }
        switch body.withoutByteOrderMark.first(where: { !$0.isJsonBlank }) {
        case UInt8(ascii: "{"), UInt8(ascii: "["): return .json
        case UInt8(ascii: "<"): return type == "text/xml" ? nil : .html
        case UInt8(ascii: "\"") where isJson: return .json
        default: return type.isEmpty && body.prefix(512).contains(0) ? nil : .text
        }
    }

    private static func masked(_ text: String) -> String {
        Redaction.body(Data(text.utf8), contentType: "text/plain") ?? ""
    }

    // MARK: JSON

    /// Returns the explanation of problem details (RFC 9457), an OAuth error (RFC 6749, section 5.2) or a similar object.
    private static func message(in value: JsonValue, depth: Int = 0) -> String? {
        if let text = value.string { return text }
        guard depth < 3 else { return nil }
        if let first = value.array?.first { return message(in: first, depth: depth + 1) }
        let names = [
            "detail", "error_description", "message", "error_message", "errorMessage", "reason", "description", "title",
            "error", "errors", "fault",
        ]
        for name in names {
            guard let member = value[name] else { continue }
            let text = message(in: member, depth: depth + 1) ?? (name == "message" ? member.text : nil)
            if let text, !text.isEmpty { return text }
        }
        return nil
    }

    // MARK: HTML

    private static func title(of html: String) -> String? {
        (try? #/(?i)<title\b[^<>]*+>([^<]*+)/#.firstMatch(in: html)).map { withoutEntities(String($0.output.1)) }
    }

    /// Returns the text of a page, without its elements, scripts and styles.
    private static func text(ofHTML html: String) -> String {
        var text = ""
        var rest = html[...]
        while let start = rest.firstIndex(of: "<") {
            text += rest[..<start] + " "
            rest = rest[start...].dropFirst()
            let name = rest.prefix(8).lowercased()
            let ending =
                name.hasPrefix("!--") ? "-->" : ["script", "style"].first(where: name.hasPrefix).map { "</\($0)" }
            if let ending {
                guard let end = rest.range(of: ending, options: .caseInsensitive) else { return withoutEntities(text) }
                rest = rest[end.upperBound...]
                if ending == "-->" { continue }
            }
            guard let end = rest.firstIndex(of: ">") else { return withoutEntities(text) }
            rest = rest[end...].dropFirst()
        }
        return withoutEntities(text + rest)
    }

    private static func withoutEntities(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "&")) else { return text }
        let entities = [
            ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&apos;", "'"), ("&nbsp;", " "),
            ("&amp;", "&"),
        ]
        return entities.reduce(text) { $0.replacing($1.0, with: $1.1) }
    }
}

extension HttpResponse {
    /// The code and the reason phrase of the status, safe for display; see ``HttpStatus/summary``. Secrets of the request are masked if the
    /// server repeats them.
    package var statusSummary: String {
        let phrase = SecretMasker(sentBy: request).masked(status.reasonPhrase)
        return HttpStatus(code: status.code, reasonPhrase: phrase).summary
    }
}

extension JsonValue {
    /// The text, unless it is empty, or the number.
    fileprivate var text: String? {
        switch self {
        case .string(let text): text.isEmpty ? nil : text
        case .integer(let number): "\(number)"
        case .number(let number): "\(number)"
        default: nil
        }
    }
}

extension String {
    /// Returns the text with secrets masked. Shorter ones are parts of ordinary words.
    package func removing(_ secrets: [String]) -> String {
        secrets.reduce(self) { $1.utf8.count >= 6 ? $0.replacing($1, with: Redaction.mask) : $0 }
    }
}

extension UInt8 {
    /// `true` for white space between the tokens of JSON.
    fileprivate var isJsonBlank: Bool { [0x20, 0x09, 0x0A, 0x0D].contains(self) }
}
