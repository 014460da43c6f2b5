import SallyportTransport
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct ConnectionFactsTests {
    @Test func `The times of the opening are set and removed one by one`() {
        let start = ContinuousClock.now
        var facts = ConnectionFacts(openingStart: start, resolve: .seconds(1))
        facts.connect = .seconds(2)
        facts.tls = .seconds(3)
        #expect(facts.openingStart == start && facts.resolve == .seconds(1))
        #expect(facts.connect == .seconds(2) && facts.tls == .seconds(3))
        facts.openingStart = nil
        facts.resolve = nil
        facts.connect = nil
        #expect(facts != ConnectionFacts())
        facts.tls = nil
        #expect(facts == ConnectionFacts())
    }

    @Test func `A reused connection has no times of an opening`() {
        var facts = ConnectionFacts(remoteAddress: "[::1]:443", openingStart: .now, connect: .seconds(2))
        facts.markReused()
        #expect(facts == ConnectionFacts(remoteAddress: "[::1]:443", isReused: true))
    }
}
