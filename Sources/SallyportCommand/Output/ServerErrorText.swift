import Foundation
import Sallyport
import SallyportOAuth
import SallyportTransport

/// The explanation in the body of an error response.
enum ServerErrorText {
    /// The maximum length of a body that is searched, in bytes.
    private static let maximumSize = 64 << 10

    /// Reads the body of a response.
    ///
    /// - Returns: The explanation: one short line without secrets. `nil` if there is none, or the body cannot be read.
    static func read(from response: HttpResponse) async -> String? {
        let body = await response.bodyStream.beginning(upTo: maximumSize, within: .seconds(1))
        return text(in: body, contentType: response.getHeader(name: NetworkConstants.headerContentType))
    }

    /// Returns the explanation in a body.
    static func text(in body: Data, contentType: String?) -> String? {
        let type = MediaTypeName(contentType)
        let text: String?
        if type.isJson {
            text = (try? JSONDecoder().decode(JsonValue.self, from: body)).flatMap { message(in: $0) }
        } else if type.description == "text/html" {
            text = title(of: String(decoding: body, as: UTF8.self))
        } else if type.description == "text/plain" {
            text = String(decoding: body, as: UTF8.self)
        } else {
            text = nil
        }
        let line = text.map { $0.split(whereSeparator: \.isWhitespace).joined(separator: " ") } ?? ""
        return line.isEmpty ? nil : SanitizedText.make(from: line)
    }

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
            if let member = value[name], let text = message(in: member, depth: depth + 1), !text.isEmpty { return text }
        }
        return nil
    }

    private static func title(of html: String) -> String? {
        guard let start = html.range(of: "<title>", options: .caseInsensitive)?.upperBound,
            let end = html.range(of: "</title>", options: .caseInsensitive, range: start..<html.endIndex)
        else { return nil }
        return String(html[start..<end.lowerBound])
    }
}
