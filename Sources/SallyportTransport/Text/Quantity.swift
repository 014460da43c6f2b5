import Foundation

/// Formats durations and sizes for messages and displays, everywhere in the same manner.
package enum Quantity {
    /// Returns a duration, such as `4.2 ms`, `843 ms`, `2.4 s`, `3 min 20 s`, `2 h 5 min` or `3 days`.
    package static func time(_ duration: Duration) -> String {
        if duration < .zero { return "-" + time(.zero - duration) }
        if duration == .zero { return "0 s" }
        let milliseconds = duration / .milliseconds(1)
        if milliseconds < 9.95 { return "\(short(milliseconds)) ms" }
        if milliseconds < 999.5 { return "\(Int(milliseconds.rounded())) ms" }
        if milliseconds < 59_950 { return "\(short(milliseconds / 1000)) s" }
        let seconds = Int((min(milliseconds, 1e15) / 1000).rounded())
        if seconds < 3600 { return parts(seconds / 60, "min", seconds % 60, "s") }
        if seconds < 2 * 86_400 { return parts(seconds / 3600, "h", seconds / 60 % 60, "min") }
        return "\(seconds / 86_400) days"
    }

    /// Returns a number of bytes, such as `11 B` or `3.9 MiB`.
    package static func size(_ bytes: Int64) -> String {
        let unit = unit(for: bytes)
        return "\(amount(bytes, in: unit)) \(unit.name)"
    }

    /// Returns a number of bytes and the total, both in the unit of the total, such as `0.9 of 3.9 MiB`.
    package static func size(_ bytes: Int64, of total: Int64) -> String {
        let unit = unit(for: total)
        return "\(amount(bytes, in: unit)) of \(amount(total, in: unit)) \(unit.name)"
    }

    private typealias Unit = (name: String, bits: Int64)

    private static let units: [Unit] = [("B", 0), ("KiB", 10), ("MiB", 20), ("GiB", 30), ("TiB", 40)]

    private static func unit(for bytes: Int64) -> Unit {
        units.last { bytes >> $0.bits > 0 } ?? units[0]
    }

    private static func amount(_ bytes: Int64, in unit: Unit) -> String {
        unit.bits == 0 ? "\(bytes)" : String(format: "%.1f", Double(bytes) / Double(Int64(1) << unit.bits))
    }

    /// Returns a number with one digit after the point, unless it is zero.
    private static func short(_ number: Double) -> String {
        let tenths = Int((number * 10).rounded())
        return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
    }

    private static func parts(_ large: Int, _ largeUnit: String, _ small: Int, _ smallUnit: String) -> String {
        "\(large) \(largeUnit)" + (small == 0 ? "" : " \(small) \(smallUnit)")
    }
}
