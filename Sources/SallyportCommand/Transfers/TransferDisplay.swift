import Foundation
import Sallyport

/// Shows on standard error how transfers come along: one bar each on a terminal, and a line for each that has ended.
final class TransferDisplay: Sendable {
    /// How much is shown.
    enum Style: Sendable {
        /// Bars, which are drawn over again, and what there is to say above them.
        case bars
        /// Only what there is to say, line by line: for a file, a pipe, or beside the lines of `--verbose`.
        case lines
        /// Errors only.
        case quiet

        /// The style for what standard error is.
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

    /// Draws the bars ten times a second for as long as some work takes, and clears them at its end.
    func whileShown<Value>(_ work: () async throws -> Value) async rethrows -> Value {
        // In this order, as the last thing that is drawn has to be nothing.
        defer { print([], showingBars: false) }
        async let _: Void = tick()
        return try await work()
    }

    /// Adds a bar.
    func add(_ identifier: String, name: String, progress: @escaping @Sendable () -> TransferProgress) {
        let row = Row(identifier: identifier, name: VisibleText.line(name), progress: progress)
        state.withLock { $0.rows.append(row) }
    }

    /// Takes a bar away.
    func remove(_ identifier: String) {
        state.withLock { $0.rows.removeAll { $0.identifier == identifier } }
    }

    /// How many transfers have not begun.
    func setWaiting(_ count: Int) {
        state.withLock { $0.waiting = count }
    }

    /// Says that something has ended well.
    func tell(_ text: String) {
        if style != .quiet { print([text]) }
    }

    /// Says that something is wrong.
    func warn(_ text: String) {
        print(["sallyport: \(text)"])
    }

    private func tick() async {
        guard style == .bars else { return }
        while (try? await Task.sleep(for: .milliseconds(100))) != nil { print([]) }
    }

    /// Writes some lines, and the bars below them as they are now.
    private func print(_ lines: [String], showingBars: Bool = true) {
        let lines = lines.flatMap { $0.split(separator: "\n") }.map { VisibleText.line(String($0)) }
        guard style == .bars else {
            for line in lines { StandardError.print(line) }
            return
        }
        let columns = StandardError.columns
        let mostBars = max(StandardError.rows - 2, 1)
        state.withLock { state in
            let bars = showingBars ? Self.bars(state, columns: columns, most: mostBars) : []
            let text = state.screen.text(bars, above: lines, columns: columns)
            if !text.isEmpty { StandardError.draw(text) }
        }
    }

    private static func bars(_ state: State, columns: Int, most: Int) -> [String] {
        let rows = state.rows.prefix(most)
        // A line as long as the terminal is wide would leave the cursor in a place that terminals do not agree about.
        let lines = ProgressLine.block(
            rows.map { ProgressLine(name: $0.name, progress: $0.progress()) },
            columns: columns - 1
        )
        let more = state.rows.count - rows.count + state.waiting
        return lines + (more > 0 ? [TextColumns.cut("and \(more) more", to: columns - 1)] : [])
    }
}
