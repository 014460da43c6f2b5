import Foundation

/// Formats numbers for display.
enum Format {
    /// Returns a time in milliseconds, or in seconds from 10 seconds.
    static func time(_ duration: Duration) -> String {
        let milliseconds = duration / .milliseconds(1)
        if milliseconds >= 10_000 { return "\(decimal(milliseconds / 1000, 1)) s" }
        return "\(decimal(milliseconds, milliseconds < 10 ? 1 : 0)) ms"
    }

    /// Returns a time limit in seconds, as an option sets it.
    static func limit(_ duration: Duration) -> String { String(format: "%.12g s", duration / .seconds(1)) }

    /// Returns an interval of seconds in the largest unit of which there are at least two.
    static func interval(_ seconds: Int) -> String {
        let units = [(86_400, "days"), (3600, "h"), (60, "min")]
        guard let (length, name) = units.first(where: { seconds >= 2 * $0.0 }) else { return "\(seconds) s" }
        return "\(seconds / length) \(name)"
    }

    /// Returns a number of bytes.
    static func size(_ bytes: Int64) -> String {
        let unit = unit(for: bytes)
        return "\(amount(bytes, in: unit)) \(units[unit])"
    }

    /// Returns a number of bytes and the total, if it is known, both in the same unit.
    static func size(_ bytes: Int64, of total: Int64?) -> String {
        guard let total else { return size(bytes) }
        let unit = unit(for: total)
        return "\(amount(bytes, in: unit)) of \(amount(total, in: unit)) \(units[unit])"
    }

    /// Returns a data rate.
    static func rate(_ bytesPerSecond: Double) -> String {
        "\(size(Int64(min(max(bytesPerSecond, 0), 1e18))))/s"
    }

    /// Returns the average data rate.
    static func rate(_ bytes: Int64, in duration: Duration) -> String {
        rate(Double(bytes) / max(duration / .seconds(1), 0.000_001))
    }

    /// Returns a remaining time.
    static func timeLeft(_ duration: Duration) -> String {
        let seconds = Int((min(duration / .seconds(1), 1e9) - 0.001).rounded(.up))
        if seconds < 60 { return "\(seconds) s left" }
        let (hours, minutes, rest) = (seconds / 3600, seconds / 60 % 60, seconds % 60)
        if hours == 0 { return "\(minutes):\(twoDigits(rest)) left" }
        if hours < 48 { return "\(hours):\(twoDigits(minutes)):\(twoDigits(rest)) left" }
        return "\(hours / 24) days left"
    }

    private static let units = ["bytes", "KiB", "MiB", "GiB", "TiB"]

    private static func unit(for bytes: Int64) -> Int {
        units.indices.last { bytes >> (10 * Int64($0)) > 0 } ?? 0
    }

    private static func amount(_ bytes: Int64, in unit: Int) -> String {
        unit == 0 ? "\(bytes)" : decimal(Double(bytes) / Double(Int64(1) << (10 * Int64(unit))), 1)
    }

    private static func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

    private static func decimal(_ number: Double, _ digits: Int) -> String {
        String(format: "%.\(digits)f", number)
    }
}
