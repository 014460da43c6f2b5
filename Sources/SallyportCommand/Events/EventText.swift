import Foundation
import Sallyport

/// Writes events for people, and for scripts.
enum EventText {
    /// Returns `type #id: data`, with further lines of the data below. Control characters are escaped.
    static func readable(_ event: ServerSentEvent) -> String {
        let id = event.id.map { " #" + VisibleText.line($0) } ?? ""
        let lines = event.data.split(separator: "\n", omittingEmptySubsequences: false).map {
            VisibleText.lines(String($0))
        }
        let data = lines.count == 1 ? " " + lines[0] : lines.map { "\n  " + $0 }.joined()
        return "\(VisibleText.line(event.type))\(id):\(data)"
    }

    /// Returns one line of JSON: data, event, id and retry in milliseconds, the last two if there are any.
    static func json(_ event: ServerSentEvent) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return VisibleText.json(String(decoding: try encoder.encode(Line(event)), as: UTF8.self))
    }

    private struct Line: Encodable {
        let id: String?
        let event: String
        let data: String
        let retry: Int?

        init(_ event: ServerSentEvent) {
            id = event.id
            self.event = event.type
            data = event.data
            retry = event.retry.map { Int($0 / .milliseconds(1)) }
        }
    }
}
