import Foundation

/// How long a server asks to wait (RFC 9110, section 10.2.3).
enum RetryAfter {
    private static let longest = 1_000_000_000

    /// The wait from now on; `nil` if the server asks for none that can be understood. The longest of several counts.
    ///
    /// A date is compared with the response's own `Date`, as clocks differ, and else with ours.
    static func wait(_ response: HttpResponse, now: Date) -> Duration? {
        let sent = response.headers["Date"]?.first.flatMap { HttpDate.parse($0, now: now) } ?? now
        return response.headers["Retry-After"]?.compactMap { wait($0, sent: sent, now: now) }.max()
    }

    private static func wait(_ value: String, sent: Date, now: Date) -> Duration? {
        let value = value.trimmingCharacters(in: .whitespaces)
        if !value.isEmpty, value.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            return .seconds(min(Int(value) ?? longest, longest))
        }
        guard let date = HttpDate.parse(value, now: now) else { return nil }
        return .seconds(min(max(0, date.timeIntervalSince(sent)), Double(longest)))
    }
}
