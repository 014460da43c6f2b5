import Sallyport
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct HttpHeadersTests {
    private let headers: HttpHeaders = [
        "Content-Type": ["text/plain"], "Set-Cookie": ["a=1", "b=2"], "content-type": ["x"],
    ]

    @Test func `Values are found by name in any letter case`() {
        #expect(headers["SET-COOKIE"] == ["a=1", "b=2"])
        #expect(headers["content-type"]?.first == "text/plain")
        #expect(headers["missing"] == nil)
        #expect(headers["bad name"] == nil)
    }

    @Test func `Iteration gives each name once, in order, with all its values`() {
        #expect(headers.map(\.name) == ["Content-Type", "Set-Cookie"])
        #expect(headers.map(\.values) == [["text/plain", "x"], ["a=1", "b=2"]])
        #expect(headers.count == 2)
        #expect(HttpHeaders().isEmpty)
    }

    @Test func `The description masks secrets`() {
        #expect(headers.description.contains("Content-Type: text/plain"))
        #expect(headers.description.contains("Set-Cookie: ***"))
    }
}
