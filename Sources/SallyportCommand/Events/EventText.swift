import Foundation
import Sallyport

/// Writes events for people, and for scripts.
enum EventText {
    /// `type #id: data`, with further lines of the data below. What could steer a terminal is made visible.
    static func readable(_ event: ServerSentEvent) -> String {
        let id = event.id.map { " #" + visible($0) } ?? ""
        let lines = event.data.split(separator: "\n", omittingEmptySubsequences: false).map { visible(String($0)) }
        let data = lines.count == 1 ? " " + lines[0] : lines.map { "\n  " + $0 }.joined()
        return "\(visible(event.type))\(id):\(data)"
    }

    /// One line of JSON: data, event, id and retry in milliseconds, the last two if there are any.
    static func json(_ event: ServerSentEvent) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(Line(event)), as: UTF8.self)
    }

    private static func visible(_ text: String) -> String {
        var visible = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if scalar != "\t", scalar.properties.generalCategory == .control {
                visible.append(contentsOf: "\\u{\(String(scalar.value, radix: 16))}".unicodeScalars)
            } else {
                visible.append(scalar)
            }
        }
        return String(visible)
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
