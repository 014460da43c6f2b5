import Foundation
import TestSupport
import Testing

@testable import Sallyport

@Suite(.concurrencyLimited) struct HttpDateTests {
    private func parse(_ text: String, in year: Int = 1994) -> Int? {
        let now = Date(timeIntervalSince1970: TimeInterval(year - 1970) * 31_556_952 + 1_000_000)
        return HttpDate.parse(text, now: now).map { Int($0.timeIntervalSince1970) }
    }

    @Test(arguments: [
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
        "Sun Nov 06 08:49:37 1994", "SUN, 06 nOV 1994 08:49:37 gmt", "sunday, 06-NOV-94 08:49:37 Gmt",
        "sun nov  6 08:49:37 1994",
    ])
    func `The example of RFC 9110 is parsed in its three formats, and letters in any case`(text: String) {
        #expect(parse(text) == 784_111_777)
    }

    @Test(arguments: [
        ("Tue, 29 Feb 2000 00:00:00 GMT", 951_782_400), ("Fri, 31 Dec 1999 23:59:60 GMT", 946_684_800),
        ("Thu, 01 Mar 1900 00:00:00 GMT", -2_203_891_200), ("Wed, 01 Mar 2000 00:00:00 GMT", 951_868_800),
        ("Sun, 31 Dec 2400 23:59:59 GMT", 13_601_087_999),
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Wed Dec 31 23:59:59 2098", 4_070_908_799),
    ])
    func `Leap days, leap seconds, the epoch and distant years are parsed`(text: String, seconds: Int) {
        #expect(parse(text) == seconds)
    }

    @Test(arguments: [
        (2026, "76", 2076), (2026, "77", 1977), (2026, "26", 2026), (2099, "01", 2001), (1994, "44", 1944),
    ])
    func `A two-digit year more than 50 years in the future is interpreted as in the past`(
        now: Int,
        digits: String,
        year: Int
    ) {
        let expected = parse("Thu, 01 Jan \(year) 00:00:00 GMT")
        #expect(parse("Thursday, 01-Jan-\(digits) 00:00:00 GMT", in: now) == expected)
        #expect(expected != nil)
    }

    @Test(arguments: [
        "", "now", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 6 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 94 08:49:37 GMT", "Sun, 30 Feb 1994 08:49:37 GMT", "Sun, 00 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:00 GMT", "Sun, 06 Nov 1994 08:49:61 GMT",
        "Sun, 06 Nov 1994 08:49 GMT", "Sun, 06 Nov  1994 08:49:37 GMT", "Sunday, 06-Nov-1994 08:49:37 GMT",
        "Sun, 06 Now 1994 08:49:37 GMT", "Sun  Nov  6 08:49:37 1994", "Sun Nov  06 08:49:37 1994",
        "Sun, Nov 6 08:49:37 1994", "Sun, 06 Nov 1994 08:49:-7 GMT", "Sun, ٠٦ Nov 1994 08:49:37 GMT",
        "Sun, 29 Feb 1900 00:00:00 GMT",
    ])
    func `Text in none of the three formats is not parsed`(text: String) {
        #expect(parse(text) == nil)
    }
}
