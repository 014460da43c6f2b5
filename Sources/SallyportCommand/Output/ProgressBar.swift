import Foundation
import Sallyport
import SallyportTransfers

/// The progress bar for a long body.
struct ProgressBar {
    private static let longBody: Int64 = 1 << 20

    private let length: Int64?
    private let start = ContinuousClock.now
    private var lastDrawn: ContinuousClock.Instant
    private var count: Int64 = 0
    private var screen = BarScreen()

    init(length: Int64?) {
        self.length = length
        lastDrawn = start
    }

    /// Returns a Boolean value that indicates whether to show a bar: for a body that goes to a file and is long or of
    /// unknown length, if standard error is a terminal.
    static func isWanted(for output: ResponseOutput, length: Int64?) -> Bool {
        guard output.isFile, StandardError.isTerminal else { return false }
        return length.map { $0 >= longBody } ?? true
    }

    mutating func advance(by bytes: Int) {
        count += Int64(bytes)
        let now = ContinuousClock.now
        guard now - lastDrawn >= .milliseconds(100) else { return }
        lastDrawn = now
        let columns = StandardError.columns
        let rate = Double(count) / ((now - start) / .seconds(1))
        let progress = TransferProgress(
            state: .running,
            completedBytes: count,
            totalBytes: length,
            bytesPerSecond: rate
        )
        let line = ProgressLine(progress: progress).text(columns: columns - 1, nameColumns: 0)
        StandardError.draw(screen.text([line], columns: columns))
    }

    /// Clears the line.
    mutating func end() {
        StandardError.draw(screen.text([], columns: StandardError.columns))
    }
}

/// The lines at the bottom of a terminal that are redrawn in place. It returns the text to write, but does not write it.
struct BarScreen {
    /// The numbers of columns of the lines that were drawn last.
    private var drawn: [Int] = []

    /// Returns the text that replaces the lines that were drawn last.
    ///
    /// - Parameters:
    ///   - lines: The new lines, each shorter than the width of the terminal; none to clear the old lines.
    ///   - above: The permanent lines to print above them.
    ///   - columns: The current width of the terminal. If it has become narrower, the old lines are wrapped.
    mutating func text(_ lines: [String], above: [String] = [], columns: Int) -> String {
        if drawn.isEmpty, lines.isEmpty { return above.map { $0 + "\n" }.joined() }
        let rows = drawn.reduce(0) { $0 + max(($1 + columns - 1) / max(columns, 1), 1) }
        drawn = lines.map(TextColumns.count)
        let start = rows > 1 ? "\r\u{1B}[\(rows - 1)A" : "\r"
        let body = above.map { $0 + "\u{1B}[K\n" } + [lines.map { $0 + "\u{1B}[K" }.joined(separator: "\n")]
        return start + body.joined() + "\u{1B}[J"
    }
}
