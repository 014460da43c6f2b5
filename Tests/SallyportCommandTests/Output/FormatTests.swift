import TestSupport
import Testing

@testable import SallyportCommand

@Suite(.concurrencyLimited) struct FormatTests {
    @Test(arguments: [(Duration.seconds(3), "3 s"), (.milliseconds(500), "0.5 s"), (.seconds(300), "300 s")])
    func `A time limit is in seconds`(limit: Duration, text: String) {
        #expect(Format.limit(limit) == text)
    }
}
