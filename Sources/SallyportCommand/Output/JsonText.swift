import Foundation
import SallyportTransport

/// The JSON that commands print with `--json`.
enum JsonText {
    /// Returns indented JSON with sorted members in snake case, dates of ISO 8601, and control characters escaped.
    static func indented(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        encoder.keyEncodingStrategy = .convertToSnakeCase
        return VisibleText.json(String(decoding: try encoder.encode(value), as: UTF8.self))
    }
}
