/// The lines at the bottom of a terminal that are drawn over again. Pure: it gives what is to be written.
struct BarScreen {
    /// How many columns each of the lines takes that were drawn last.
    private var drawn: [Int] = []

    /// What puts new lines in the place of those that were drawn last.
    ///
    /// - Parameters:
    ///   - lines: The new lines, each shorter than the terminal is wide; none to clear the place.
    ///   - above: Lines that stay, above them.
    ///   - columns: How wide the terminal is now. One that became narrower has broken the old lines.
    mutating func text(_ lines: [String], above: [String] = [], columns: Int) -> String {
        if drawn.isEmpty, lines.isEmpty { return above.map { $0 + "\n" }.joined() }
        let rows = drawn.reduce(0) { $0 + max(($1 + columns - 1) / max(columns, 1), 1) }
        drawn = lines.map(TextColumns.count)
        let start = rows > 1 ? "\r\u{1B}[\(rows - 1)A" : "\r"
        let body = above.map { $0 + "\u{1B}[K\n" } + [lines.map { $0 + "\u{1B}[K" }.joined(separator: "\n")]
        return start + body.joined() + "\u{1B}[J"
    }
}
