import Foundation

/// Shows on the terminal how far a long body has come.
struct ProgressBar {
    private static let longBody: Int64 = 1 << 20
    private static let width = 30

    private let length: Int64?
    private let start = ContinuousClock.now
    private var lastDrawn: ContinuousClock.Instant
    private var count: Int64 = 0
    private var isShown = false

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
        isShown = true
        StandardError.print("\r\u{1B}[K" + line(at: now), terminator: "")
    }

    /// Clears the line.
    func end() {
        if isShown { StandardError.print("\r\u{1B}[K", terminator: "") }
    }

    private func line(at now: ContinuousClock.Instant) -> String {
        let rate = "\(Format.size(count)), \(Format.rate(count, in: now - start))"
        guard let length, length > 0 else { return rate }
        let share = min(Double(count) / Double(length), 1)
        let filled = Int(share * Double(Self.width))
        let bar = String(repeating: "#", count: filled) + String(repeating: ".", count: Self.width - filled)
        return "[\(bar)] \(Int(share * 100))%  \(rate)"
    }
}
