import TestSupport
import Testing

@testable import SallyportResource

@Suite(.concurrencyLimited) struct ReplayWindowTests {
    /// Returns the counters that a new window accepts, in order.
    private func accepted(_ counters: [UInt64]) -> [UInt64] {
        var window = ReplayWindow()
        return counters.filter { window.accept($0) }
    }

    @Test func `Each counter is accepted once, in any order within the window`() {
        let counters: [UInt64] = [3, 1, 2, 1024, 1000, 64, 65, 63]
        #expect(accepted(counters + counters) == counters)
        #expect(accepted(counters.flatMap { [$0, $0] }) == counters)
    }

    @Test func `Zero, and counters before the window, are refused`() {
        let length = ReplayWindow.length
        #expect(accepted([0, 5000, 5000 - length, 5001 - length, 1]) == [5000, 5001 - length])
    }

    @Test func `A large step clears the window`() {
        let large: UInt64 = 1 << 40
        let counters = Array(1...2000) + [large] + (1..<ReplayWindow.length).map { large - $0 } + [.max]
        #expect(accepted(counters) == counters)
        #expect(accepted(counters + [.max, large, 1]) == counters)
    }

    @Test func `The window agrees with a set of all accepted counters`() {
        var random = SeededGenerator(seed: 15)
        var window = ReplayWindow()
        var accepted: Set<UInt64> = []
        var highest: UInt64 = 0
        for _ in 0..<50_000 {
            let lowest = highest > 1500 ? highest - 1500 : 0
            let counter = UInt64.random(in: lowest...highest + 40, using: &random)
            let isExpected =
                counter > 0 && !accepted.contains(counter)
                && (counter > highest || highest - counter < ReplayWindow.length)
            let isAccepted = window.accept(counter)
            #expect(isAccepted == isExpected, "\(counter) after \(highest)")
            if isExpected {
                accepted.insert(counter)
                highest = max(highest, counter)
            }
        }
    }
}
