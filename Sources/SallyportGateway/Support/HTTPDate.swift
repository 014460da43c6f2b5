import Foundation

/// Dates as HTTP writes them: `Wed, 01 Jan 2025 00:00:00 GMT`.
enum HTTPDate {
    static func date(from text: String) -> Date? {
        formatter.date(from: text)
    }

    static func text(from date: Date) -> String {
        formatter.string(from: date)
    }

    private static var formatter: DateFormatter {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return formatter
    }
}
