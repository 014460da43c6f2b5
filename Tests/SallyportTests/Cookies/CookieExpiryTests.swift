import Foundation
import TestSupport
import Testing

@testable import Sallyport

@Suite(.concurrencyLimited) struct CookieExpiryTests {
    private func lifetime(_ attributes: String) -> TimeInterval? {
        parseCookie("a=b; \(attributes)")?.expiresDate?.timeIntervalSince(cookieTestTime)
    }

    @Test(
        arguments: [("1", 1.0), ("0060", 60), ("34560000", 34_560_000)]
    )
    func `Max-Age is relative to the current time`(text: String, seconds: TimeInterval) {
        #expect(lifetime("Max-Age=\(text)") == seconds)
    }

    @Test(
        arguments: ["0", "-0", "-1", "-99999999999999999999999", "000"]
    )
    func `A Max-Age of zero or less expires the cookie immediately`(text: String) {
        #expect(parseCookie("a=b; Max-Age=\(text)")?.isExpired(at: cookieTestTime) == true)
    }

    @Test(
        arguments: ["", "-", "1.5", "1e9", "+5", "5s", "--1", "٣", "\"60\""]
    )
    func `A Max-Age that is not an integer is ignored`(text: String) {
        #expect(parseCookie("a=b; Max-Age=\(text)")?.expiresDate == nil)
        #expect(lifetime("Max-Age=7; Max-Age=\(text)") == 7)
    }

    @Test func `Max-Age takes precedence over Expires in either order`() {
        #expect(lifetime("Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:00 GMT") == 60)
        #expect(lifetime("Expires=Thu, 01 Jan 1970 00:00:00 GMT; Max-Age=60") == 60)
        #expect(
            parseCookie("a=b; Max-Age=0; Expires=Fri, 01 Jan 2100 01:00:00 GMT")?.isExpired(at: cookieTestTime) == true
        )
    }

    @Test func `Expires sets the expiry date, and an invalid date is ignored`() {
        #expect(lifetime("Expires=Fri, 01 Jan 2100 01:00:00 GMT") == 3600)
        #expect(lifetime("Expires=Thu, 31 Dec 2099 23:00:00 GMT") == -3600)
        #expect(lifetime("Expires=soon") == nil)
        #expect(lifetime("Expires=Fri, 01 Jan 2100 01:00:00 GMT; Expires=never") == 3600)
    }

    @Test(
        arguments: ["Max-Age=34560001", "Max-Age=99999999999999999999999", "Expires=Fri, 31 Dec 9999 23:59:59 GMT"]
    )
    func `No cookie lives longer than 400 days`(attribute: String) {
        #expect(lifetime(attribute) == 400 * cookieTestDay)
    }

    @Test func `A cookie expires exactly at its expiry date`() {
        let cookie = parseCookie("a=b; Max-Age=10")
        #expect(cookie?.isExpired(at: cookieTestTime.addingTimeInterval(9.9)) == false)
        #expect(cookie?.isExpired(at: cookieTestTime.addingTimeInterval(10)) == true)
    }
}
