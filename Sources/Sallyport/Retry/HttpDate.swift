import Foundation
import SallyportTransport

/// Dates in the three forms of RFC 9110, section 5.6.7.
package enum HttpDate {
    /// Parses a date. Returns `nil` if the text has none of the three forms. Letters may have any case (RFC 9111, section 4.2), and the
    /// name of the day is ignored.
    ///
    /// - Parameters:
    ///   - text: `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT` or `Sun Nov  6 08:49:37 1994`.
    ///   - now: The current date, which determines the century of a two-digit year.
    package static func parse(_ text: String, now: Date = Date()) -> Date? {
        var words = Array(text.lowercased().utf8)
            .split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        let hasComma = words.first?.last == UInt8(ascii: ",")
        // In the form of asctime, a day with one digit follows two blanks.
        if !hasComma, words.count == 6, words[2].isEmpty, words[3].count == 1 { words.remove(at: 2) }
        switch words.count {
        case 6 where hasComma && words[5].elementsEqual("gmt".utf8):
            let day = number(words[1], digits: 2)
            return date(day: day, month: words[2], year: number(words[3], digits: 4), time: words[4])
        case 4 where hasComma && words[3].elementsEqual("gmt".utf8):
            let parts = words[1].split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
            guard parts.count == 3, let year = number(parts[2], digits: 2) else { return nil }
            return date(day: number(parts[0], digits: 2), month: parts[1], year: full(year, now: now), time: words[2])
        case 5 where !hasComma:
            let day = number(words[2], digits: words[2].count == 1 ? 1 : 2)
            return date(day: day, month: words[1], year: number(words[4], digits: 4), time: words[3])
        default: return nil
        }
    }

    /// Returns a date in the preferred form: `Sun, 06 Nov 1994 08:49:37 GMT`.
    package static func text(_ date: Date) -> String {
        let parts = Calendar.utc.dateComponents([.year, .month, .day, .weekday, .hour, .minute, .second], from: date)
        func part(_ number: Int?, digits: Int = 2) -> String {
            let text = String(number ?? 0)
            return String(repeating: "0", count: max(0, digits - text.count)) + text
        }
        let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        let day = "\(days[(parts.weekday ?? 1) - 1]), \(part(parts.day)) \(months[(parts.month ?? 1) - 1])"
        let time = "\(part(parts.hour)):\(part(parts.minute)):\(part(parts.second))"
        return "\(day) \(part(parts.year, digits: 4)) \(time) GMT"
    }

    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// Returns the four-digit year. A two-digit year that appears to be more than 50 years in the future is in the past.
    private static func full(_ year: Int, now: Date) -> Int {
        let currentYear = Calendar.utc.component(.year, from: now)
        let candidate = currentYear / 100 * 100 + year
        return candidate > currentYear + 50 ? candidate - 100 : candidate
    }

    private static func date(day: Int?, month: ArraySlice<UInt8>, year: Int?, time: ArraySlice<UInt8>) -> Date? {
        let clock = time.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
            .map { number($0, digits: 2) }
        guard let year, let month = months.firstIndex(where: { month.elementsEqual($0.lowercased().utf8) }), let day,
            clock.count == 3, let hour = clock[0], let minute = clock[1], let second = clock[2],
            hour < 24, minute < 60, second <= 60
        else { return nil }
        guard day >= 1, day <= days(in: month + 1, of: year) else { return nil }
        let minutes = (days(before: year, month: month + 1) + day - 1) * 1440 + hour * 60 + minute
        return Date(timeIntervalSince1970: TimeInterval(minutes * 60 + second))
    }

    private static func days(in month: Int, of year: Int) -> Int {
        if month == 2 { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28 }
        return [4, 6, 9, 11].contains(month) ? 30 : 31
    }

    /// Returns the number of days from the epoch to the first day of a month in the Gregorian calendar. `Calendar` is several times
    /// slower.
    private static func days(before year: Int, month: Int) -> Int {
        let previous = year - 1
        let leapDays = previous / 4 - previous / 100 + previous / 400
        let daysOfMonths = (1..<month).reduce(0) { $0 + days(in: $1, of: year) }
        return previous * 365 + leapDays + daysOfMonths - 719_162
    }

    private static func number(_ text: ArraySlice<UInt8>, digits: Int) -> Int? {
        guard text.count == digits, text.allSatisfy(\.isDigit) else { return nil }
        return text.reduce(0) { $0 * 10 + Int($1 & 15) }
    }
}

extension Calendar {
    fileprivate static let utc = {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        return calendar
    }()
}
