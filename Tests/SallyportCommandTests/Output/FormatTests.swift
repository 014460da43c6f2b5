import SallyportTransport
import TestSupport
import Testing

@testable import SallyportCommand

@Suite(.concurrencyLimited) struct FormatTests {
    @Test(
        arguments: [
            (.zero, "0 s"), (.microseconds(40), "0 ms"), (.microseconds(4_230), "4.2 ms"), (.milliseconds(5), "5 ms"),
            (.microseconds(9_960), "10 ms"), (.milliseconds(843), "843 ms"), (.microseconds(999_700), "1 s"),
            (.milliseconds(2_430), "2.4 s"), (.seconds(59), "59 s"), (.milliseconds(59_960), "1 min"),
            (.seconds(200), "3 min 20 s"), (.seconds(3_599), "59 min 59 s"), (.seconds(7_530), "2 h 5 min"),
            (.seconds(172_799), "47 h 59 min"), (.seconds(300_000), "3 days"), (.seconds(-3), "-3 s"),
        ] as [(Duration, String)]
    )
    func `A duration is shown in the same manner everywhere`(duration: Duration, text: String) {
        #expect(Format.time(duration) == text)
    }

    @Test(
        arguments: [
            (0, "0 B"), (11, "11 B"), (1_023, "1023 B"), (1_024, "1.0 KiB"), (4_089_446, "3.9 MiB"),
            (5 << 30, "5.0 GiB"), (.max, "8388608.0 TiB"),
        ] as [(Int64, String)]
    )
    func `A size is shown in the same manner everywhere`(size: Int64, text: String) {
        #expect(Format.size(size) == text)
        #expect(Format.rate(Double(min(size, 5 << 30))) == Format.size(min(size, 5 << 30)) + "/s")
    }
}
