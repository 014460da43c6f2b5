import Foundation
import Sallyport
import SallyportStorage
import SallyportTransfers

/// Shows the progress of transfers on standard error: a bar for each running transfer on a terminal, and a line for each
/// that has ended.
final class TransferDisplay: Sendable {
    /// The style of the output.
    enum Style: Sendable {
        /// Progress bars that are redrawn, with messages above them.
        case bars
        /// Messages only: for a file, a pipe, or together with the lines of `--verbose`.
        case lines
        /// Errors only.
        case quiet

        /// Selects the style for the options and the kind of standard error.
        init(quiet: Bool, verbose: Bool) {
            let isDumb = ProcessInfo.processInfo.environment["TERM"] == "dumb"
            self = quiet ? .quiet : StandardError.isTerminal && !verbose && !isDumb ? .bars : .lines
        }
    }

    private struct Row: Sendable {
        let identifier: String
        let name: String
        let progress: @Sendable () -> TransferProgress
    }

    private struct State: Sendable {
        var rows: [Row] = []
        var screen = BarScreen()
        var waiting = 0
    }

    private let style: Style
    private let state = Locked(State())

    init(_ style: Style) {
        self.style = style
    }

    /// Redraws the bars ten times a second while a closure runs, and clears them at its end.
    func whileShown<Value>(_ work: () async throws -> Value) async rethrows -> Value {
        // Before the task that draws, so that clearing the bars is the last output.
        defer { print([], showingBars: false) }
        async let _: Void = tick()
        return try await work()
    }

    /// Adds a bar.
    func add(_ identifier: String, name: String, progress: @escaping @Sendable () -> TransferProgress) {
        let row = Row(identifier: identifier, name: VisibleText.line(name), progress: progress)
        state.withLock { $0.rows.append(row) }
    }

    /// Removes a bar.
    func remove(_ identifier: String) {
        state.withLock { $0.rows.removeAll { $0.identifier == identifier } }
    }

    /// Sets the number of transfers that have not begun.
    func setWaiting(_ count: Int) {
        state.withLock { $0.waiting = count }
    }

    /// Prints information, except in quiet mode.
    func inform(_ text: String) {
        if style != .quiet { print([text]) }
    }

    /// Prints a warning or an error.
    func warn(_ text: String) {
        print(["sallyport: \(text)"])
    }

    private func tick() async {
        guard style == .bars else { return }
        while (try? await Task.sleep(for: .milliseconds(100))) != nil { print([]) }
    }

    /// Prints lines, and redraws the bars below them.
    private func print(_ lines: [String], showingBars: Bool = true) {
        let lines = lines.flatMap { $0.split(separator: "\n") }.map { VisibleText.line(String($0)) }
        guard style == .bars else {
            for line in lines { StandardError.print(line) }
            return
        }
        let columns = StandardError.columns
        let maximumBars = max(StandardError.rows - 2, 1)
        state.withLock { state in
            let bars = showingBars ? Self.bars(state, columns: columns, limit: maximumBars) : []
            let text = state.screen.text(bars, above: lines, columns: columns)
            if !text.isEmpty { StandardError.draw(text) }
        }
    }

    private static func bars(_ state: State, columns: Int, limit: Int) -> [String] {
        let rows = state.rows.prefix(limit)
        // After a line as long as the terminal is wide, the position of the cursor depends on the terminal.
        let lines = ProgressLine.block(
            rows.map { ProgressLine(name: $0.name, progress: $0.progress()) },
            columns: columns - 1
        )
        let more = state.rows.count - rows.count + state.waiting
        guard let remainder = remainder(more, belowBars: !rows.isEmpty) else { return lines }
        return lines + [TextColumns.truncated(remainder, to: columns - 1)]
    }

    /// Returns the line for transfers without a bar; `nil` if there are none. Without bars, all of them are waiting.
    static func remainder(_ count: Int, belowBars: Bool) -> String? {
        if count == 0 { return nil }
        return belowBars ? "and \(count) more" : "\(count) waiting"
    }
}
