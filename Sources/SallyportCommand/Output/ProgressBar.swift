import Foundation
import Sallyport

/// Shows on the terminal how far a long body has come.
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

    /// Whether a body is worth a bar: it goes to a file, someone is watching, and it is long or may be.
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
