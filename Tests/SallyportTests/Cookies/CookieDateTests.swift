import Foundation
import TestSupport
import Testing

@testable import Sallyport

@Suite(.concurrencyLimited) struct CookieDateTests {
    @Test(
        arguments: [
            ("Wed, 09 Jun 2021 10:18:14 GMT", 1_623_233_894),
            ("Wednesday, 09-Jun-21 10:18:14 GMT", 1_623_233_894),
            ("Wed Jun  9 10:18:14 2021", 1_623_233_894),
            ("10:18:14 9 june 2021", 1_623_233_894),
            ("2021 jun 09 10:18:14", 1_623_233_894),
            ("JUNETEENTH 9th 10:18:14Z 2021AD", 1_623_233_894),
            ("9/Jun/2021,10:18:14", 1_623_233_894),
            ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
            ("1 Jan 1970 1:2:3", 3_723),
            ("Tue, 29 Feb 2000 12:00:00 GMT", 951_825_600),
            ("31 Dec 1969 23:59:59", -1),
            ("1 Jan 1601 00:00:00", -11_644_473_600),
            ("31 Dec 9999 23:59:59", 253_402_300_799),
        ]
    )
    func `Dates in the common formats are parsed`(text: String, seconds: Int) {
        #expect(CookieDate.parse(text) == Date(timeIntervalSince1970: TimeInterval(seconds)))
    }

    @Test(
        arguments: [("70", 1970), ("99", 1999), ("00", 2000), ("69", 2069)]
    )
    func `A two-digit year is between 1970 and 2069`(short: String, full: Int) {
        #expect(CookieDate.parse("1 Jan \(short) 00:00:00") == CookieDate.parse("1 Jan \(full) 00:00:00"))
        #expect(CookieDate.parse("1 Jan \(short) 00:00:00") != nil)
    }

    @Test func `The first token of each kind is used`() {
        #expect(CookieDate.parse("1 Jan 2020 00:00:00 2 Feb 2021 11:11:11") == CookieDate.parse("1 Jan 2020 00:00:00"))
    }

    @Test(
        arguments: [
            "", "tomorrow", "Wed, 09 Jun 2021", "09 Jun 10:18:14", "Jun 2021 10:18:14", "09 2021 10:18:14",
            "00 Jan 2020 00:00:00", "32 Jan 2020 00:00:00", "31 Apr 2020 00:00:00", "30 Feb 2020 00:00:00",
            "29 Feb 2021 00:00:00", "29 Feb 1900 00:00:00", "1 Jan 1600 00:00:00", "1 Jan 2020 24:00:00",
            "1 Jan 2020 00:60:00", "1 Jan 2020 00:00:60", "1 Jan 20200 00:00:00", "1 Jan 2020 000:00:00",
            "1 Jan 2020 00:00", "1 Jan 2020 0 0:0", "1 Foo 2020 00:00:00", "1 Jan 2020 1:2a:3",
        ]
    )
    func `Invalid dates are not parsed`(text: String) {
        #expect(CookieDate.parse(text) == nil)
    }

    @Test func `Dates of four centuries agree with Foundation's calendar`() throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(identifier: "GMT"))
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        for day in stride(from: -50_000, to: 96_000, by: 31) {
            let date = Date(timeIntervalSince1970: TimeInterval(day) * cookieTestDay)
            let parts = calendar.dateComponents([.year, .month, .day], from: date)
            let year = try #require(parts.year)
            let month = months[try #require(parts.month) - 1]
            #expect(CookieDate.parse("\(try #require(parts.day)) \(month) \(year) 00:00:00") == date)
        }
    }
}
