import Testing

import Comparing

@Suite("The middle of some values")
struct SpreadTests {
    @Test("The median of an odd number of values is the one in the middle")
    func oddCount() throws {
        let spread = try #require(Spread([9, 1, 4]))
        #expect((spread.lowest, spread.median, spread.highest) == (1, 4, 9))
    }

    @Test("The median of an even number of values is half way between the two in the middle")
    func evenCount() {
        #expect(Spread([4, 1, 9, 2])?.median == 3)
    }

    @Test("No values have no median")
    func noValues() {
        #expect(Spread([]) == nil)
    }
}
