import SallyportTransfers
import TestSupport
import Testing

@testable import Sallyport
@testable import SallyportTransfers

@Suite(.concurrencyLimited) struct ContentRangeTests {
    @Test func `Content-Range values are parsed`() {
        #expect(ContentRange("bytes 0-0/1")?.range == 0..<1)
        #expect(ContentRange(" Bytes 5-9/10 ")?.range == 5..<10)
        #expect(ContentRange("bytes 5-9/10")?.total == 10)
        #expect(ContentRange("bytes 5-9/*")?.total == nil)
        #expect(ContentRange("bytes 5-9/*")?.range == 5..<10)
        #expect(ContentRange("bytes */10")?.total == 10)
        #expect(ContentRange("bytes */10")?.range == nil)
    }

    @Test(arguments: [
        "", "bytes", "bytes 5-9", "bytes 9-5/10", "bytes 5-10/10", "bytes -5-9/10", "bytes 5-/10", "bytes -9/10",
        "bytes */*", "items 5-9/10", "bytes 5-9/10/11", "bytes +5-9/10", "bytes 5-9/99999999999999999999",
        "bytes=5-9/10",
        "bytes 5-9/10, bytes 5-9/10", "bytes 0-9223372036854775807/*",
    ])
    func `An invalid Content-Range is refused`(value: String) {
        #expect(ContentRange(value) == nil)
    }
}
