import Sallyport
import SallyportTransfers

/// A line that shows the progress of a transfer.
struct ProgressLine {
    /// The name of the transfer; may be empty.
    var name = ""
    var progress: TransferProgress

    /// Returns the line, limited to a number of columns.
    ///
    /// Parts that do not fit are omitted, in this order: the remaining time, the rate, the sizes, the bar.
    ///
    /// - Parameter nameColumns: The width of the name, by which several lines are aligned.
    func text(columns: Int, nameColumns: Int) -> String {
        let name = name.isEmpty ? "" : Self.column(self.name, width: nameColumns)
        let bar = bar(columns: columns, nameColumns: name.isEmpty ? 0 : nameColumns)
        for count in stride(from: details.count, through: 0, by: -1) {
            let line = Self.line([name, bar + percentage] + details.prefix(count))
            if TextColumns.count(line) <= columns { return line }
        }
        let short = Self.line([name, percentage])
        if TextColumns.count(short) <= columns { return short }
        let shortest = TextColumns.truncated(self.name, to: max(columns - 6, 0)) + "  " + percentage
        return TextColumns.truncated(shortest, to: columns)
    }

    /// Returns several lines with aligned columns.
    ///
    /// Parts that do not fit are omitted from all lines, in the order of ``text(columns:nameColumns:)``.
    static func block(_ lines: [ProgressLine], columns: Int) -> [String] {
        let nameColumns = nameColumns(of: lines.map(\.name), columns: columns)
        let names = lines.map { column($0.name, width: nameColumns) }
        let details = lines.map(\.details)
        let most = details.map(\.count).max() ?? 0
        for (hasBar, count) in (0...most).reversed().map({ (true, $0) }) + [(false, 0)] {
            let bars = lines.map {
                hasBar ? $0.bar(columns: columns, nameColumns: nameColumns) + $0.percentage : $0.percentage
            }
            let parts = (0..<count).map { part in details.map { $0.indices.contains(part) ? $0[part] : "" } }
            let block = table([names, aligned(bars)] + parts.map(aligned))
            if block.allSatisfy({ TextColumns.count($0) <= columns }) { return block }
        }
        return lines.map { $0.text(columns: columns, nameColumns: nameColumns) }
    }

    private static func column(_ text: String, width: Int) -> String {
        TextColumns.padded(TextColumns.truncated(text, to: width), to: width)
    }

    /// Joins columns to lines. A column that is empty in all lines is omitted.
    private static func table(_ columns: [[String]]) -> [String] {
        let columns = columns.filter { $0.contains { !$0.isEmpty } }
        return (columns.first ?? []).indices.map { row in
            let line = columns.map { $0[row] }.joined(separator: "  ")
            return String(line.reversed().drop { $0 == " " }.reversed())
        }
    }

    /// Aligns texts to the right.
    private static func aligned(_ texts: [String]) -> [String] {
        let width = texts.map(TextColumns.count).max() ?? 0
        return texts.map { String(repeating: " ", count: width - TextColumns.count($0)) + $0 }
    }

    /// Returns the width of the column for names, on a terminal with a number of columns.
    static func nameColumns(of names: [String], columns: Int) -> Int {
        min(names.map(TextColumns.count).max() ?? 0, max(columns / 3, 12))
    }

    private static func line(_ parts: [String]) -> String {
        parts.filter { !$0.isEmpty }.joined(separator: "  ")
    }

    private var percentage: String {
        guard let fraction = progress.fraction else { return "" }
        let text = "\(Int(fraction * 100))%"
        return String(repeating: " ", count: max(4 - text.count, 0)) + text
    }

    /// The width of the longest line without its name and its bar.
    private static let otherColumns = "[] 100%  1023.9 of 1023.9 MiB  1023.9 MiB/s  59 min 59 s left".count

    /// Returns a bar that fills the terminal. Its width depends only on the widths of the terminal and the names, so that it does not
    /// change while the transfer runs.
    private func bar(columns: Int, nameColumns: Int) -> String {
        guard let fraction = progress.fraction, columns >= 50 else { return "" }
        let width = max(columns - Self.otherColumns - (nameColumns > 0 ? nameColumns + 2 : 0), 10)
        let filled = Int(fraction * Double(width))
        return "[" + String(repeating: "#", count: filled) + String(repeating: ".", count: width - filled) + "] "
    }

    private var details: [String] {
        let size = Format.size(progress.completedBytes, of: progress.totalBytes)
        switch progress.state {
        case .waiting: return ["waiting"]
        case .paused: return [size, "paused"]
        case .finished: return [size]
        case .running:
            let rate = Format.rate(progress.bytesPerSecond)
            return [size, rate, progress.timeLeft.map(Format.timeLeft) ?? ""]
        }
    }
}
