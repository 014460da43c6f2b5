/// Measures and formats text for a terminal, on which a character takes zero, one or two columns.
enum TextColumns {
    /// Returns the number of columns of printable text.
    static func count(_ text: String) -> Int {
        text.unicodeScalars.reduce(0) { $0 + columns(of: $1) }
    }

    /// Returns text, shortened in the middle if it is longer than a number of columns.
    static func truncated(_ text: String, to limit: Int) -> String {
        if count(text) <= limit { return text }
        let dots = String(repeating: ".", count: min(3, max(limit, 0)))
        let rest = max(limit - dots.count, 0)
        let end = start(of: text.reversed(), columns: rest / 2)
        return start(of: text, columns: rest - rest / 2) + dots + end.reversed()
    }

    /// Returns a line of text for each row of a table. The text in each column is aligned at the left.
    ///
    /// - Parameter rows: Rows with the same number of columns.
    static func lines(_ rows: [[String]]) -> [String] {
        let widths = (rows.first ?? []).indices.dropLast().map { column in rows.map { count($0[column]) }.max() ?? 0 }
        return rows.map { row in
            (zip(row, widths).map { padded($0, to: $1) } + row.suffix(1)).joined(separator: "  ")
        }
    }

    /// Returns text that is padded with trailing spaces to a number of columns.
    static func padded(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(width - count(text), 0))
    }

    private static func start(of text: some Sequence<Character>, columns limit: Int) -> String {
        var start = ""
        var width = 0
        for character in text {
            width += count(String(character))
            if width > limit { break }
            start.append(character)
        }
        return start
    }

    private static func columns(of scalar: Unicode.Scalar) -> Int {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: 0
        default: wide.contains { $0.contains(scalar.value) } ? 2 : 1
        }
    }

    /// The main ranges of wide characters (Unicode Standard Annex 11).
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF,
        0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F680...0x1FAFF, 0x20000...0x3FFFD,
    ]
}
