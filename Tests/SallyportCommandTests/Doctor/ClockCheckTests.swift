import Foundation
import TestSupport
import Testing

@testable import SallyportCommand

@Suite(.concurrencyLimited) struct ClockCheckTests {
    private let date = "Sat, 21 Nov 2026 12:00:00 GMT"
    private let noon = Date(timeIntervalSince1970: 1_795_262_400)

    @Test("clocks may differ by half a minute", arguments: [-30.0, 0, 30])
    func agreeing(difference: Double) {
        #expect(ClockCheck.finding(serverDate: date, now: noon + difference).level == .good)
    }

    @Test(
        "a clock that differs by more is named with its direction",
        arguments: [(-31.0, "behind"), (3600, "ahead of")]
    )
    func differing(difference: Double, word: String) {
        let finding = ClockCheck.finding(serverDate: date, now: noon + difference)
        #expect(finding.level == .problem)
        #expect(finding.text.contains(word))
        #expect(finding.advice?.isEmpty == false)
    }

    @Test("a server that does not say its time is a warning", arguments: [nil, "", "yesterday"])
    func unknown(date: String?) {
        #expect(ClockCheck.finding(serverDate: date, now: noon).level == .warning)
    }
}
