import Foundation
import TestSupport
import Testing

@testable import Sallyport

@Suite(.concurrencyLimited) struct RetryAfterTests {
    /// Sun, 06 Nov 1994 08:49:37 GMT.
    private let now = Date(timeIntervalSince1970: 784_111_777)

    private func wait(_ values: String..., date: String? = nil) -> Duration? {
        var fields = HTTPFields()
        for value in values { fields.append(HTTPField(name: .retryAfter, value: value)) }
        if let date { fields[.date] = date }
        let response = HttpResponse(
            status: .serviceUnavailable,
            headers: HttpHeaders(fields),
            request: HttpRequest()
        )
        return RetryAfter.wait(response, now: now)
    }

    @Test func `A number in Retry-After is interpreted as seconds`() {
        #expect(wait("0") == .zero)
        #expect(wait("120") == .seconds(120))
        #expect(wait(" 7 ") == .seconds(7))
        #expect(wait("99999999999999999999999") == .seconds(1_000_000_000))
    }

    @Test(arguments: ["Sun, 06 Nov 1994 08:51:37 GMT", "Sunday, 06-Nov-94 08:51:37 GMT", "Sun Nov  6 08:51:37 1994"])
    func `A date in Retry-After is relative to the current time, in any of the three formats`(date: String) {
        #expect(wait(date) == .seconds(120))
    }

    @Test func `A date in Retry-After is relative to the Date field of the response, if present`() {
        let date = "Mon, 07 Nov 1994 10:00:30 GMT"
        #expect(wait(date, date: "Mon, 07 Nov 1994 10:00:00 GMT") == .seconds(30))
        #expect(wait("30", date: "Mon, 07 Nov 1994 10:00:00 GMT") == .seconds(30))
        #expect(wait("Sun, 06 Nov 1994 08:51:37 GMT", date: "today") == .seconds(120))
    }

    @Test func `A date in the past gives a delay of zero`() {
        #expect(wait("Sun, 06 Nov 1994 08:49:36 GMT") == .zero)
        #expect(wait("Thu, 01 Jan 1970 00:00:00 GMT") == .zero)
    }

    @Test func `The longest delay of several Retry-After values is used`() {
        #expect(wait("5", "Sun, 06 Nov 1994 08:49:47 GMT", "soon") == .seconds(10))
    }

    @Test(arguments: ["", "-1", "+5", "1.5", "5s", "soon", "٣", "1,2", "Sun, 06 Nov 1994"])
    func `An invalid Retry-After value is ignored`(value: String) {
        #expect(wait(value) == nil)
        #expect(wait() == nil)
    }
}
