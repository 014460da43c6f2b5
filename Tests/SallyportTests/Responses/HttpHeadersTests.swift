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

    @Test func `Cookies that a platform has joined are separated, and other values stay joined`() {
        let fields: [AnyHashable: Any] = [
            "Set-Cookie": "a=1; Expires=Wed, 21 Oct 2037 07:28:00 GMT; Path=/, b=2; Secure", "Via": "1.1 a, 1.1 b",
            "Content-Length": 7, "not a name": "x", "X-Bad": "a\r\nb",
        ]
        let headers = HttpHeaders(joinedFields: fields)
        #expect(headers["set-cookie"] == ["a=1; Expires=Wed, 21 Oct 2037 07:28:00 GMT; Path=/", "b=2; Secure"])
        #expect(headers["via"] == ["1.1 a, 1.1 b"])
        #expect(headers["content-length"] == ["7"])
        #expect(headers.count == 3)
        let response = HttpResponse(status: .ok, headers: headers, request: HttpRequest(url: "https://a.example/"))
        #expect(response.getCookies().map(\.name) == ["a", "b"])
        let lines = HttpHeaders(joinedFields: ["Set-Cookie": "a=1; Path=/\nb=2"])
        #expect(lines["set-cookie"] == ["a=1; Path=/", "b=2"])
    }
}
