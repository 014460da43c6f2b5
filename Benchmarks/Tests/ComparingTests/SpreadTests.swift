import Testing

import Comparing

@Suite("The middle of some values")
struct SpreadTests {
    @Test func `The median of an odd number of values is the one in the middle`() throws {
        let spread = try #require(Spread([9, 1, 4]))
        #expect((spread.lowest, spread.median, spread.highest) == (1, 4, 9))
    }

    @Test func `The median of an even number of values is half way between the two in the middle`() {
        #expect(Spread([4, 1, 9, 2])?.median == 3)
    }

    @Test func `No values have no median`() {
        #expect(Spread([]) == nil)
    }
}
