import TestSupport
import Testing

@testable import SallyportCommand

@Suite(.concurrencyLimited) struct TextColumnsTests {
    @Test(arguments: [("", 0), ("map.zip", 7), ("é", 1), ("e\u{301}", 1), ("地図", 4), ("😀", 2)])
    func `The width of text is its number of terminal columns`(text: String, columns: Int) {
        #expect(TextColumns.count(text) == columns)
    }

    @Test func `The columns of a table are aligned, except the last one`() {
        #expect(TextColumns.lines([]) == [])
        #expect(TextColumns.lines([["地図", "1", "x"], ["a", "23", "long"]]) == ["地図  1   x", "a     23  long"])
    }

    @Test(
        arguments: [
            ("photograph.jpeg", 15, "photograph.jpeg"), ("photograph.jpeg", 10, "phot...peg"),
            ("photograph.jpeg", 4, "p..."),
            ("photograph.jpeg", 2, ".."), ("photograph.jpeg", 0, ""), ("地図地図地図", 9, "地...図"),
        ]
    )
    func `Text that is too long is shortened in the middle`(text: String, limit: Int, shown: String) {
        #expect(TextColumns.truncated(text, to: limit) == shown)
        #expect(TextColumns.count(shown) <= limit)
    }
}
