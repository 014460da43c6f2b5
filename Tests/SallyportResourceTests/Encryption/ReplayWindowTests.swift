import TestSupport
import Testing

@testable import SallyportResource

@Suite(.concurrencyLimited) struct ReplayWindowTests {
    @Test func `Each counter is accepted once, in any order within the window`() {
        var window = ReplayWindow()
        for counter: UInt64 in [3, 1, 2, 1024, 1000, 64, 65, 63] {
            #expect(window.accept(counter), "\(counter)")
            #expect(!window.accept(counter), "\(counter)")
        }
    }

    @Test func `Zero, and counters before the window, are refused`() {
        var window = ReplayWindow()
        #expect(!window.accept(0))
        #expect(window.accept(5000))
        #expect(!window.accept(5000 - ReplayWindow.length))
        #expect(window.accept(5001 - ReplayWindow.length))
        #expect(!window.accept(1))
    }

    @Test func `A large step clears the window`() {
        var window = ReplayWindow()
        for counter: UInt64 in 1...2000 { #expect(window.accept(counter)) }
        #expect(window.accept(1 << 40))
        for distance: UInt64 in 1..<ReplayWindow.length { #expect(window.accept((1 << 40) - distance), "\(distance)") }
        #expect(window.accept(.max))
        #expect(!window.accept(.max))
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
            #expect(window.accept(counter) == isExpected, "\(counter) after \(highest)")
            if isExpected {
                accepted.insert(counter)
                highest = max(highest, counter)
            }
        }
    }
}
