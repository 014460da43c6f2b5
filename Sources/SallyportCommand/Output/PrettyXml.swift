import Foundation
import SallyportTransport

/// Formats XML with line breaks and indentation. Only whitespace between elements changes; elements that contain text are written
/// unchanged.
///
/// It accepts texts with balanced tags, and does not resolve entities or check names.
struct PrettyXml {
    private enum Kind {
        case start, end, empty, text, other
    }

    private struct Token {
        let kind: Kind
        let range: Range<Int>
        /// For a start tag, the index of its end tag.
        var end = 0
        /// For a start tag, a Boolean value that indicates whether the element directly contains text.
        var hasText = false
    }

    /// The maximum depth of nesting.
    private static let maximumDepth = 256
    /// The maximum length of the output is the length of the input times a factor, plus a number of bytes.
    private static let (maximumFactor, maximumExtra) = (16, 256 << 10)

    private let bytes: [UInt8]
    private let paint: Paint
    private var tokens: [Token] = []
    private var output: [UInt8] = []

    /// Returns formatted XML that ends with a line feed; `nil` if the data is not XML in UTF-8, too deep, or would become too long.
    ///
    /// - Parameter paint: If it is on, the tags are colored, and control characters are escaped.
    static func format(_ data: Data, _ paint: Paint = .none) -> Data? {
        guard String(validating: data, as: UTF8.self) != nil else { return nil }
        var formatter = PrettyXml(bytes: Array(data), paint: paint)
        guard formatter.scan(), formatter.write() else { return nil }
        return Data(formatter.output)
    }

    private init(bytes: [UInt8], paint: Paint) {
        self.bytes = bytes
        self.paint = paint
    }

    // MARK: Scanning

    /// Splits the text into tokens, and finds the end of each element.
    ///
    /// - Returns: `false` if the text is not XML.
    private mutating func scan() -> Bool {
        var open: [Int] = []
        var position = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        var hasElement = false
        while position < bytes.count {
            guard let token = token(at: position) else { return false }
            position = token.range.upperBound
            switch token.kind {
            case .start:
                open.append(tokens.count)
                guard open.count <= Self.maximumDepth else { return false }
                hasElement = true
            case .end:
                guard let start = open.popLast(), name(of: tokens[start]) == name(of: token) else { return false }
                tokens[start].end = tokens.count
            case .empty: hasElement = true
            case .text:
                let isBlank = bytes[token.range].allSatisfy { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
                if let parent = open.last, !isBlank { tokens[parent].hasText = true }
                if open.isEmpty, !isBlank { return false }
            case .other:
                if let parent = open.last, starts("<![CDATA[", at: token.range.lowerBound) {
                    tokens[parent].hasText = true
                }
            }
            tokens.append(token)
        }
        return open.isEmpty && hasElement
    }

    private func token(at start: Int) -> Token? {
        guard bytes[start] == UInt8(ascii: "<") else {
            let end = bytes[start...].firstIndex(of: UInt8(ascii: "<")) ?? bytes.count
            return Token(kind: .text, range: start..<end)
        }
        if starts("<!--", at: start) { return other(from: start, to: "-->") }
        if starts("<![CDATA[", at: start) { return other(from: start, to: "]]>") }
        if starts("<?", at: start) { return other(from: start, to: "?>") }
        guard let end = endOfTag(at: start) else { return nil }
        let kind: Kind
        switch bytes[start + 1] {
        case UInt8(ascii: "!"): kind = .other
        case UInt8(ascii: "/"): kind = .end
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "_"),
            UInt8(ascii: ":"), 0x80...:
            kind = bytes[end - 2] == UInt8(ascii: "/") ? .empty : .start
        default: return nil
        }
        return Token(kind: kind, range: start..<end)
    }

    private func other(from start: Int, to terminator: StaticString) -> Token? {
        var position = start + 2
        while position < bytes.count {
            if starts(terminator, at: position) {
                return Token(kind: .other, range: start..<(position + terminator.utf8CodeUnitCount))
            }
            position += 1
        }
        return nil
    }

    /// Returns the position after the `>` of a tag or document type, which may contain others in quotation marks or brackets.
    private func endOfTag(at start: Int) -> Int? {
        var quote: UInt8?
        var depth = 0
        for position in (start + 1)..<bytes.count {
            let byte = bytes[position]
            if let mark = quote {
                if byte == mark { quote = nil }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "'"): quote = byte
            case UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "]"): depth -= 1
            case UInt8(ascii: "<") where depth == 0: return nil
            case UInt8(ascii: ">") where depth == 0: return position - start > 1 ? position + 1 : nil
            default: break
            }
        }
        return nil
    }

    private func starts(_ text: StaticString, at position: Int) -> Bool {
        text.withUTF8Buffer { bytes[position...].starts(with: $0) }
    }

    private func name(of token: Token) -> ArraySlice<UInt8> {
        let content = bytes[token.range].dropFirst(token.kind == .end ? 2 : 1).dropLast()
        return content.prefix { ![0x20, 0x09, 0x0A, 0x0D, UInt8(ascii: "/")].contains($0) }
    }

    // MARK: Writing

    /// - Returns: `false` if the output would become too long.
    private mutating func write() -> Bool {
        var depth = 0
        var index = 0
        while index < tokens.count {
            let token = tokens[index]
            var last = index
            switch token.kind {
            case .text:
                index += 1
                continue
            case .start:
                if token.hasText || token.end == index + 1 || isPreserved(token) { last = token.end }
            case .end: depth -= 1
            case .empty, .other: break
            }
            output.append(contentsOf: repeatElement(UInt8(ascii: " "), count: depth * 2))
            for part in tokens[index...last] { write(part) }
            output.append(UInt8(ascii: "\n"))
            guard output.count <= bytes.count * Self.maximumFactor + Self.maximumExtra else { return false }
            if token.kind == .start, last == index { depth += 1 }
            index = last + 1
        }
        return true
    }

    /// Returns a Boolean value that indicates whether an element has the attribute `xml:space="preserve"`.
    private func isPreserved(_ token: Token) -> Bool {
        let tag = String(decoding: bytes[token.range], as: UTF8.self)
        return tag.contains("xml:space=\"preserve\"") || tag.contains("xml:space='preserve'")
    }

    private mutating func write(_ token: Token) {
        guard paint.isOn else { return output.append(contentsOf: bytes[token.range]) }
        let text = VisibleText.lines(String(decoding: bytes[token.range], as: UTF8.self))
        switch token.kind {
        case .start, .end, .empty: output.append(contentsOf: paint(text, .blue).utf8)
        case .other: output.append(contentsOf: paint(text, .dim).utf8)
        case .text: output.append(contentsOf: text.utf8)
        }
    }
}
