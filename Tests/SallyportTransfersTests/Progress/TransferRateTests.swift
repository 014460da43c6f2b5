import SallyportTransfers
import TestSupport
import Testing

@testable import Sallyport
@testable import SallyportTransfers

@Suite(.concurrencyLimited) struct TransferRateTests {
    private let start = ContinuousClock.now

    @Test func `The rate is the number of bytes divided by the time`() {
        var rate = TransferRate()
        for second in 0...3 { rate.add(Int64(second) * 100, at: start + .seconds(second)) }
        #expect(rate.bytesPerSecond(at: start + .seconds(3)) == 100)
    }

    @Test func `Only the last seconds count for the rate`() {
        var rate = TransferRate()
        for second in 0...100 { rate.add(Int64(min(second, 50)) * 1000, at: start + .seconds(second)) }
        #expect(rate.bytesPerSecond(at: start + .seconds(100)) == 0)
    }

    @Test func `The rate falls while no bytes arrive`() {
        var rate = TransferRate()
        rate.add(0, at: start)
        rate.add(1000, at: start + .seconds(1))
        #expect(rate.bytesPerSecond(at: start + .seconds(1)) == 1000)
        #expect(rate.bytesPerSecond(at: start + .seconds(10)) == 100)
    }

    @Test func `The rate is zero without enough samples and after a reset`() {
        var rate = TransferRate()
        #expect(rate.bytesPerSecond(at: start) == 0)
        rate.add(0, at: start)
        rate.add(1_000_000, at: start + .microseconds(10))
        #expect(rate.bytesPerSecond(at: start + .microseconds(10)) == 0)
        rate.add(5, at: start + .seconds(1))
        #expect(rate.bytesPerSecond(at: start + .seconds(1)) == 0)
        rate.reset()
        #expect(rate.bytesPerSecond(at: start + .seconds(2)) == 0)
    }

    @Test func `The number of samples is limited`() {
        var rate = TransferRate()
        for number in 0..<100_000 { rate.add(Int64(number), at: start + .milliseconds(number)) }
        #expect(abs(rate.bytesPerSecond(at: start + .milliseconds(99_999)) - 1000) < 25)
        #expect(rate.sampleCount < 60)
    }
}
