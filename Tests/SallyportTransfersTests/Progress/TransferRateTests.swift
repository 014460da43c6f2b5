import SallyportTransfers
import TestSupport
import Testing

@testable import Sallyport
@testable import SallyportTransfers

@Suite(.concurrencyLimited) struct TransferRateTests {
    private let start = ContinuousClock.now

    @Test func `It is what came over the time that it took`() {
        var rate = TransferRate()
        for second in 0...3 { rate.add(Int64(second) * 100, at: start + .seconds(second)) }
        #expect(rate.bytesPerSecond(at: start + .seconds(3)) == 100)
    }

    @Test func `Only the last seconds count`() {
        var rate = TransferRate()
        for second in 0...100 { rate.add(Int64(min(second, 50)) * 1000, at: start + .seconds(second)) }
        #expect(rate.bytesPerSecond(at: start + .seconds(100)) == 0)
    }

    @Test func `It falls while nothing comes`() {
        var rate = TransferRate()
        rate.add(0, at: start)
        rate.add(1000, at: start + .seconds(1))
        #expect(rate.bytesPerSecond(at: start + .seconds(1)) == 1000)
        #expect(rate.bytesPerSecond(at: start + .seconds(10)) == 100)
    }

    @Test func `There is none before there is enough to tell by, and after it began anew`() {
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

    @Test func `It keeps few samples, however often it is told`() {
        var rate = TransferRate()
        for number in 0..<100_000 { rate.add(Int64(number), at: start + .milliseconds(number)) }
        #expect(abs(rate.bytesPerSecond(at: start + .milliseconds(99_999)) - 1000) < 25)
        #expect(rate.sampleCount < 60)
    }
}
