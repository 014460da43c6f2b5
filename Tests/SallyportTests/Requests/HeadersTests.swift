import ClientTestSupport
import Sallyport
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct HeadersTests {
    @Test func `Setting a header replaces the header of that name in any letter case`() {
        let request = makeRequest { request in
            request.setHeader(name: "Accept", value: "text/plain")
            request.setHeader(name: "accept", value: "application/json")
        }
        #expect(request.getHeader(name: "ACCEPT") == "application/json")
        #expect(request.getHeaders() == ["accept": "application/json"])
    }

    @Test func `A header can be set, read and removed by a subscript, and an invalid one is refused`() {
        var request = makeRequest { request in
            request.headers["If-Match"] = "1"
            request.headers["x-gone"] = "1"
            request.headers["X-Gone"] = nil
        }
        let copy = request
        request.headers["if-match"] = "2"
        #expect(request.headers["IF-MATCH"] == "2" && copy.headers["If-Match"] == "1")
        #expect(request.getHeaders() == ["if-match": "2"])
        request.headers["Bad Name"] = "1"
        expectError(\NetworkError.kind, "invalidRequest") { try request.head() }
    }

    @Test func `Adding a header keeps earlier values of that name`() {
        let request = makeRequest { request in
            request.addHeader(name: "Accept", value: "text/plain")
            request.addHeader(name: "accept", value: "application/json")
        }
        #expect(request.getHeader(name: "ACCEPT") == "text/plain")
        #expect(request.getCombinedHeader(name: "ACCEPT") == "text/plain, application/json")
        #expect(request.getCombinedHeader(name: "X-One") == nil)
        #expect(request.getHeaders()["Accept"] == "text/plain, application/json")
    }

    @Test func `The values of a header can be read one by one from the head of the request`() throws {
        let request = makeRequest { request in
            request.addHeader(name: "X-One", value: "a, b")
            request.addHeader(name: "x-one", value: "c")
        }
        let name = try #require(HTTPField.Name("X-One"))
        #expect(try request.head().headerFields[values: name] == ["a, b", "c"])
    }

    @Test func `A header can be removed by its name in any letter case`() {
        let request = makeRequest { request in
            request.setHeader(name: "X-One", value: "1")
            request.removeHeader(name: "x-one")
        }
        #expect(request.getHeader(name: "X-One") == nil)
        #expect(request.getHeaders().isEmpty)
    }

    @Test func `Whitespace around a value is removed, whitespace inside is kept`() {
        let request = makeRequest { $0.setHeader(name: "X-One", value: " \ta b\tc  ") }
        #expect(request.getHeader(name: "X-One") == "a b\tc")
    }

    @Test(arguments: ["a\r\nX-Evil: 1", "a\nb", "a\0b", "a\u{7F}", "\r"])
    func `A value with a control character is refused, and the error names only the header`(value: String) throws {
        let mistake = refusal(of: makeRequest { $0.setHeader(name: "X-One", value: "s3cret" + value) })
        #expect(mistake.contains("header X-One contains a control character"))
        #expect(!mistake.contains("s3cret"))
    }

    @Test(arguments: ["", "bad name", "a:b", "ü", "x\r\ny"])
    func `A header name that is not a token is refused`(name: String) throws {
        let mistake = refusal(of: makeRequest { $0.setHeader(name: name, value: "1") })
        #expect(mistake.contains("is not a token"))
        #expect(!mistake.contains("\r"))
    }

    @Test func `The error describes the first invalid header`() throws {
        let request = makeRequest { request in
            request.setHeader(name: "X-First", value: "\n")
            request.setHeader(name: "X-Second", value: "\n")
        }
        #expect(refusal(of: request).contains("X-First"))
    }

    @Test func `An invalid request is refused before any interceptor runs`() async {
        let journal = Journal()
        let (client, _) = makeClient { config in
            config.onRequest { _ in journal.add("ran") }
        }
        await expectError(\NetworkError.kind, "invalidRequest") {
            try await client.request(request: makeRequest { $0.setHeader(name: "X-One", value: "\n") })
        }
        #expect(journal.entries.isEmpty)
    }

    @Test func `Changing a copy of a request leaves the original unchanged`() {
        let original = makeRequest { $0.setHeader(name: "X-One", value: "1") }
        var copy = original
        copy.setHeader(name: "X-One", value: "2")
        #expect(original.getHeader(name: "X-One") == "1")
    }

    @Test func `A sensitive header is excluded from HTTP/2 header indexing`() throws {
        let request = makeRequest { $0.setHeader(name: "X-One", value: "1", isSensitive: true) }
        let field = try #require(try request.head().headerFields.first)
        #expect(field.indexingStrategy == .disallow)
    }

    @Test func `Setting Transfer-Encoding is refused`() throws {
        let request = makeRequest { $0.setHeader(name: "transfer-encoding", value: "chunked") }
        #expect(refusal(of: request).contains("Transfer-Encoding cannot be set"))
    }

    @Test func `Cookies are joined, and a cookie of the same name is replaced`() {
        let request = makeRequest { request in
            request.setCookie(cookie: "a=1")
            request.setCookies(cookies: ["b=2", "c=x=y"])
            request.setCookie(cookie: "a=3; d=4")
        }
        #expect(request.getHeader(name: "Cookie") == "b=2; c=x=y; a=3; d=4")
    }

    @Test func `An added cookie does not replace one of the same name`() {
        let request = makeRequest { request in
            request.setCookie(cookie: "a=1")
            request.addCookie(cookie: "a=2; Path=/; b=3")
        }
        #expect(request.getHeader(name: "Cookie") == "a=1; a=2; b=3")
        #expect(refusal(of: makeRequest { $0.addCookie(cookie: "abc") }).contains("name=value"))
    }

    @Test func `A cookie without a name is refused`() throws {
        #expect(refusal(of: makeRequest { $0.setCookie(cookie: "abc") }).contains("name=value"))
    }
}
