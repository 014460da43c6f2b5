import Testing

import Comparing

@Suite struct SpreadTests {
    @Test func `The median of an odd number of values is the middle one`() throws {
        let spread = try #require(Spread([9, 1, 4]))
        #expect((spread.lowest, spread.median, spread.highest) == (1, 4, 9))
    }

    @Test func `The median of an even number of values is the mean of the two middle ones`() {
        #expect(Spread([4, 1, 9, 2])?.median == 3)
    }

    @Test func `Without values there is no median`() {
        #expect(Spread([]) == nil)
    }
}
