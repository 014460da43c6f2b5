import TestSupport
import Testing

@testable import SallyportCommand

@Suite(.concurrencyLimited) struct FormatTests {
    @Test(arguments: [(Duration.seconds(3), "3 s"), (.milliseconds(500), "0.5 s"), (.seconds(300), "300 s")])
    func `A time limit is in seconds`(limit: Duration, text: String) {
        #expect(Format.limit(limit) == text)
    }

    @Test(
        arguments: [
            (0, "0 s"), (119, "119 s"), (120, "2 min"), (7199, "119 min"), (7200, "2 h"), (172_799, "47 h"),
            (172_800, "2 days"),
        ]
    )
    func `An interval is in the largest unit of which there are at least two`(seconds: Int, text: String) {
        #expect(Format.interval(seconds) == text)
    }
}
