import Foundation
import SallyportTransport

/// Formats numbers for display.
enum Format {
    /// Returns a duration, such as `843 ms`, `2.4 s` or `3 min 20 s`.
    static func time(_ duration: Duration) -> String { Quantity.time(duration) }

    /// Returns an interval of seconds, such as `59 s` or `2 h 5 min`.
    static func interval(_ seconds: Int) -> String { Quantity.time(.seconds(seconds)) }

    /// Returns a number of bytes, such as `11 B` or `3.9 MiB`.
    static func size(_ bytes: Int64) -> String { Quantity.size(bytes) }

    /// Returns a number of bytes and the total, if it is known, both in the same unit.
    static func size(_ bytes: Int64, of total: Int64?) -> String {
        total.map { Quantity.size(bytes, of: $0) } ?? Quantity.size(bytes)
    }

    /// Returns a data rate, such as `11 B/s`.
    static func rate(_ bytesPerSecond: Double) -> String {
        "\(size(Int64(min(max(bytesPerSecond, 0), 1e18))))/s"
    }

    /// Returns the average data rate.
    static func rate(_ bytes: Int64, in duration: Duration) -> String {
        rate(Double(bytes) / max(duration / .seconds(1), 0.000_001))
    }

    /// Returns a remaining time in whole seconds, such as `5 s left`.
    static func timeLeft(_ duration: Duration) -> String {
        let seconds = (min(duration / .seconds(1), 1e9) - 0.001).rounded(.up)
        return "\(interval(Int(max(seconds, 0)))) left"
    }
}
