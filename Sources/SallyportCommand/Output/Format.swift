import Foundation

/// Writes numbers for people.
enum Format {
    /// A time in milliseconds, or in seconds if it is long.
    static func time(_ duration: Duration) -> String {
        let milliseconds = duration / .milliseconds(1)
        if milliseconds >= 10_000 { return "\(decimal(milliseconds / 1000, 1)) s" }
        return "\(decimal(milliseconds, milliseconds < 10 ? 1 : 0)) ms"
    }

    /// A number of bytes.
    static func size(_ bytes: Int64) -> String {
        let units = ["bytes", "KiB", "MiB", "GiB", "TiB"]
        var value = Double(bytes)
        var unit = 0
        while value >= 1024, unit < units.count - 1 {
            value /= 1024
            unit += 1
        }
        return "\(unit == 0 ? "\(bytes)" : decimal(value, 1)) \(units[unit])"
    }

    /// How many bytes come in a second.
    static func rate(_ bytes: Int64, in duration: Duration) -> String {
        let seconds = max(duration / .seconds(1), 0.000_001)
        return "\(size(Int64(Double(bytes) / seconds)))/s"
    }

    private static func decimal(_ number: Double, _ digits: Int) -> String {
        String(format: "%.\(digits)f", number)
    }
}
