import Foundation
import Sallyport

/// The position and the reason of the first error in a JSON text (RFC 8259).
struct JsonProblem: CustomStringConvertible {
    /// The line, counted from 1.
    let line: Int
    /// The column, counted from 1 in characters.
    let column: Int
    let reason: String
    /// The text at the error; `nil` if the line contains a secret.
    let context: String?

    private static let maximumDepth = 256
    /// The maximum number of characters of the context before and after the error.
    private static let contextLength = 24

    /// Finds the first error; `nil` if there is none, or if the text is nested too deeply to be searched.
    init?(in data: Data) {
        guard let text = String(validating: data, as: UTF8.self) else {
            let valid = String(decoding: data, as: UTF8.self).prefix { $0 != "\u{FFFD}" }
            self.init(at: valid.utf8.count, in: String(valid), reason: "the text is not UTF-8")
            return
        }
        var search = JsonErrorSearch(Array(data), maximumDepth: Self.maximumDepth)
        guard let (offset, reason) = search.firstError() else { return nil }
        self.init(at: offset, in: text, reason: reason)
    }

    private init(at offset: Int, in text: String, reason: String) {
        self.reason = reason
        let position = text.utf8.index(text.startIndex, offsetBy: min(offset, text.utf8.count))
        let before = text[..<position].split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        let start = before.last ?? ""
        let rest = text[position...].prefix { !$0.isNewline }
        line = max(before.count, 1)
        column = start.count + 1
        let whole = String(start + rest)
        let words = whole.split { "\"'{}[],: ".contains($0) }
        if Redaction.text(whole) == whole, !words.contains(where: { SecretNames.contains($0) }) {
            context = VisibleText.line(
                Self.ending(of: start) + "▸" + rest.prefix(Self.contextLength)
                    + (rest.count > Self.contextLength ? "…" : "")
            )
        } else {
            context = nil
        }
    }

    private static func ending(of text: Substring) -> String {
        (text.count > contextLength ? "…" : "") + text.suffix(contextLength)
    }

    var description: String {
        "line \(line), column \(column): \(reason)\(context.map { ", at \($0)" } ?? "")"
    }
}

/// Searches a JSON text for its first error.
private struct JsonErrorSearch {
    private enum Stop: Error {
        case expected(String)
        case tooDeep
    }

    private var tokens: JsonTokenizer
    private var depth = 0
    private let maximumDepth: Int

    init(_ bytes: [UInt8], maximumDepth: Int) {
        tokens = JsonTokenizer(bytes)
        self.maximumDepth = maximumDepth
    }

    /// Returns the offset and the reason of the first error; `nil` if there is none.
    mutating func firstError() -> (offset: Int, reason: String)? {
        do throws(Stop) {
            try value("a value")
            if tokens.token != .end { throw .expected("the end of the text") }
            return nil
        } catch {
            guard case .expected(let expected) = error else { return nil }
            return (tokens.range.lowerBound, reason(for: expected))
        }
    }

    private func reason(for expected: String) -> String {
        guard tokens.token == .invalid, let first = tokens.tokenBytes.first else {
            return "\(expected) is expected\(tokens.token == .end ? ", but the text ends" : "")"
        }
        switch first {
        case UInt8(ascii: "'"): return "\(expected) is expected; strings need double quotes"
        case UInt8(ascii: "\""): return "a string that does not end, or that contains a line break or an invalid escape"
        case UInt8(ascii: "-"), 0x30...0x39: return "an invalid number"
        default: return "\(expected) is expected"
        }
    }

    private mutating func value(_ expected: String) throws(Stop) {
        switch tokens.token {
        case .objectStart: try object()
        case .arrayStart: try array()
        case .string, .number, .true, .false, .null: tokens.advance()
        default: throw .expected(expected)
        }
    }

    private mutating func object() throws(Stop) {
        try descend()
        if tokens.take(.objectEnd) { return depth -= 1 }
        repeat {
            if !tokens.take(.string) { throw .expected("a name in double quotes") }
            if !tokens.take(.colon) { throw .expected("a colon") }
            try value("a value")
        } while tokens.take(.comma)
        if !tokens.take(.objectEnd) { throw .expected("a comma or a closing brace") }
        depth -= 1
    }

    private mutating func array() throws(Stop) {
        try descend()
        if tokens.take(.arrayEnd) { return depth -= 1 }
        repeat { try value("a value") } while tokens.take(.comma)
        if !tokens.take(.arrayEnd) { throw .expected("a comma or a closing bracket") }
        depth -= 1
    }

    /// Enters the current object or array.
    private mutating func descend() throws(Stop) {
        tokens.advance()
        depth += 1
        if depth > maximumDepth { throw .tooDeep }
    }
}
