import Foundation

/// The lenient date parser of RFC 6265bis section 5.1.1. Tokens may be in any order; the first of each kind counts.
enum CookieDate {
    static func parse(_ text: String) -> Date? {
        var time: (hour: Int, minute: Int, second: Int)?
        var day: Int?
        var month: Int?
        var year: Int?

        for token in text.utf8.split(whereSeparator: isDelimiter) {
            if time == nil, let found = readTime(token) {
                time = found
            } else if day == nil, let found = readNumber(token, digits: 1...2) {
                day = found
            } else if month == nil, let found = readMonth(token) {
                month = found
            } else if year == nil, let found = readNumber(token, digits: 2...4) {
                year = found
            }
        }
        guard let time, let day, let month, let year else { return nil }
        return date(year: fullYear(year), month: month, day: day, time: time)
    }

    private static func isDelimiter(_ octet: UInt8) -> Bool {
        switch octet {
        case 0x09, 0x20...0x2F, 0x3B...0x40, 0x5B...0x60, 0x7B...0x7E: true
        default: false
        }
    }

    /// Parses a number with a permitted count of digits, which any other characters may follow.
    private static func readNumber(_ token: Substring.UTF8View, digits: ClosedRange<Int>) -> Int? {
        let number = token.prefix { $0.isDigit }
        return digits.contains(number.count) ? Int(Substring(number)) : nil
    }

    private static func readTime(_ token: Substring.UTF8View) -> (hour: Int, minute: Int, second: Int)? {
        let parts = token.split(separator: UInt8(ascii: ":"), maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].allSatisfy(\.isDigit), parts[1].allSatisfy(\.isDigit),
            let hour = readNumber(parts[0], digits: 1...2),
            let minute = readNumber(parts[1], digits: 1...2),
            let second = readNumber(parts[2], digits: 1...2)
        else { return nil }
        return (hour, minute, second)
    }

    private static func readMonth(_ token: Substring.UTF8View) -> Int? {
        let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
        let name = String(decoding: token.prefix(3), as: UTF8.self).lowercased()
        return months.firstIndex(of: name).map { $0 + 1 }
    }

    private static func fullYear(_ year: Int) -> Int {
        switch year {
        case 70...99: year + 1900
        case 0...69: year + 2000
        default: year
        }
    }

    private static func date(
        year: Int,
        month: Int,
        day: Int,
        time: (hour: Int, minute: Int, second: Int)
    ) -> Date? {
        guard year >= 1601, (1...daysInMonth(month, year: year)).contains(day),
            time.hour <= 23, time.minute <= 59, time.second <= 59
        else { return nil }
        let daysBeforeMonth = (1..<month).reduce(0) { $0 + daysInMonth($1, year: year) }
        let days = daysBeforeYear(year) - daysBeforeYear(1970) + daysBeforeMonth + day - 1
        return Date(
            timeIntervalSince1970: TimeInterval(((days * 24 + time.hour) * 60 + time.minute) * 60 + time.second)
        )
    }

    private static func daysInMonth(_ month: Int, year: Int) -> Int {
        switch month {
        case 2: daysBeforeYear(year + 1) - daysBeforeYear(year) == 366 ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Returns the number of days from 1 January of year 1 to 1 January of `year` in the Gregorian calendar.
    private static func daysBeforeYear(_ year: Int) -> Int {
        let years = year - 1
        return years * 365 + years / 4 - years / 100 + years / 400
    }
}
