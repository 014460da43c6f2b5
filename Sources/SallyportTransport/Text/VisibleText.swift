/// Makes text from other sources, such as servers, safe to display.
///
/// Characters that can control a terminal, break a line, reorder surrounding text or are invisible are replaced by a
/// visible escape such as `\u{9B}`: control characters (C0, DEL and C1), line and paragraph separators, and format
/// characters, among them all marks of the bidirectional algorithm. The two joiners (U+200C and U+200D), which
/// scripts and emoji need, are preserved.
package enum VisibleText {
    /// Returns a text as one line: line breaks and tabs are escaped too.
    ///
    /// - Parameter longest: The maximum number of characters. A longer text is truncated and ends with an ellipsis.
    package static func line(_ text: String, longest: Int = .max) -> String {
        let line = escaped(text, preserving: []) { "\\u{\(hexadecimal($0.value))}" }
        return line.utf8.count > longest && line.count > longest ? line.prefix(longest) + "…" : line
    }

    /// Returns a text that may have several lines: line feeds, tabs, and carriage returns before line feeds are preserved.
    package static func lines(_ text: String) -> String {
        escaped(text, preserving: ["\n", "\t"]) { "\\u{\(hexadecimal($0.value))}" }
    }

    /// Returns an equivalent JSON text. Characters in its strings are escaped by the rules of JSON (`\u009B`).
    package static func json(_ text: String) -> String {
        escaped(text, preserving: ["\n", "\t"]) { scalar in
            UTF16.encode(scalar)?.map { unit in
                let digits = hexadecimal(UInt32(unit))
                return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }.joined() ?? ""
        }
    }

    private static func escaped(
        _ text: String,
        preserving preserved: [Unicode.Scalar],
        _ escape: (Unicode.Scalar) -> String
    ) -> String {
        if text.utf8.allSatisfy({ 0x20..<0x7F ~= $0 }) { return text }
        let scalars = text.unicodeScalars
        var result = ""
        result.reserveCapacity(text.utf8.count)
        for index in scalars.indices {
            let scalar = scalars[index]
            let isBeforeLineFeed = scalars[scalars.index(after: index)...].first == "\n"
            let endsLine = scalar == "\r" && isBeforeLineFeed && preserved.contains("\n")
            if isHarmless(scalar) || preserved.contains(scalar) || endsLine {
                result.unicodeScalars.append(scalar)
            } else {
                result += escape(scalar)
            }
        }
        return result
    }

    private static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return 0x20..<0x7F ~= scalar.value }
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: return false
        case .format: return scalar.value == 0x200C || scalar.value == 0x200D
        default: return true
        }
    }

    private static func hexadecimal(_ value: UInt32) -> String { String(value, radix: 16, uppercase: true) }
}
