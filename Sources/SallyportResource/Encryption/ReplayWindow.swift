/// The counters of a session that a server has accepted (in the manner of RFC 6479).
///
/// Counters may arrive in any order, because requests are sent at the same time. The window covers the last ``length`` counters, and
/// smaller ones are refused.
package struct ReplayWindow: Sendable {
    /// The number of counters that the window covers.
    package static let length: UInt64 = 1024

    /// The window and one more word. The bits of that word are cleared when the window moves into it.
    private static let wordCount = length / 64 + 1

    private var highest: UInt64 = 0
    private var words = [UInt64](repeating: 0, count: Int(wordCount))

    package init() {}

    /// Accepts a counter once.
    ///
    /// - Parameter counter: A positive number.
    /// - Returns: `false` if the counter was accepted before, is zero, or is smaller than the counters of the window.
    package mutating func accept(_ counter: UInt64) -> Bool {
        guard counter > 0 else { return false }
        if counter > highest {
            let (old, new) = (highest / 64, counter / 64)
            for word in 0..<min(new - old, Self.wordCount) { words[Int((new - word) % Self.wordCount)] = 0 }
            highest = counter
        } else if highest - counter >= Self.length {
            return false
        }
        let index = Int(counter / 64 % Self.wordCount)
        let bit: UInt64 = 1 << (counter % 64)
        defer { words[index] |= bit }
        return words[index] & bit == 0
    }
}
