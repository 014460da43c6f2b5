import ClientTestSupport
import Sallyport
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct HeadersTests {
    @Test func `Setting a header replaces the one of that name in any case`() {
        let request = makeRequest { request in
            request.setHeader(name: "Accept", value: "text/plain")
            request.setHeader(name: "accept", value: "application/json")
        }
        #expect(request.getHeader(name: "ACCEPT") == "application/json")
        #expect(request.getHeaders() == ["accept": "application/json"])
    }

    @Test func `Adding a header keeps the others of that name`() {
        let request = makeRequest { request in
            request.addHeader(name: "Accept", value: "text/plain")
            request.addHeader(name: "accept", value: "application/json")
        }
        #expect(request.getHeader(name: "Accept") == "text/plain, application/json")
        #expect(request.getHeaders()["Accept"] == "text/plain, application/json")
    }

    @Test func `A header can be removed in any case of its name`() {
        let request = makeRequest { request in
            request.setHeader(name: "X-One", value: "1")
            request.removeHeader(name: "x-one")
        }
        #expect(request.getHeader(name: "X-One") == nil)
        #expect(request.getHeaders().isEmpty)
    }

    @Test func `Spaces around a value are dropped and those inside kept`() {
        let request = makeRequest { $0.setHeader(name: "X-One", value: " \ta b\tc  ") }
        #expect(request.getHeader(name: "X-One") == "a b\tc")
    }

    @Test(arguments: ["a\r\nX-Evil: 1", "a\nb", "a\0b", "a\u{7F}", "\r"])
    func `A control character in a value is refused, naming the header and not the value`(value: String) throws {
        let mistake = refusal(of: makeRequest { $0.setHeader(name: "X-One", value: "s3cret" + value) })
        #expect(mistake.contains("header X-One contains a control character"))
        #expect(!mistake.contains("s3cret"))
    }

    @Test(arguments: ["", "bad name", "a:b", "ü", "x\r\ny"])
    func `A name that is not a token is refused`(name: String) throws {
        let mistake = refusal(of: makeRequest { $0.setHeader(name: name, value: "1") })
        #expect(mistake.contains("is not a token"))
        #expect(!mistake.contains("\r"))
    }

    @Test func `The first mistake is the one that is told`() throws {
        let request = makeRequest { request in
            request.setHeader(name: "X-First", value: "\n")
            request.setHeader(name: "X-Second", value: "\n")
        }
        #expect(refusal(of: request).contains("X-First"))
    }

    @Test func `A mistake is thrown before any interceptor runs`() async {
        let journal = Journal()
        let (client, _) = makeClient { config in
            config.onRequest { _ in journal.add("ran") }
        }
        await expectError(\NetworkError.kind, "invalidRequest") {
            try await client.request(request: makeRequest { $0.setHeader(name: "X-One", value: "\n") })
        }
        #expect(journal.entries.isEmpty)
    }

    @Test func `A copy goes its own way`() {
        let original = makeRequest { $0.setHeader(name: "X-One", value: "1") }
        var copy = original
        copy.setHeader(name: "X-One", value: "2")
        #expect(original.getHeader(name: "X-One") == "1")
    }

    @Test func `A sensitive header is marked so for HTTP 2 as well`() throws {
        let request = makeRequest { $0.setHeader(name: "X-One", value: "1", isSensitive: true) }
        let field = try #require(try request.head().headerFields.first)
        #expect(field.indexingStrategy == .disallow)
    }

    @Test func `Transfer-Encoding cannot be set by hand`() throws {
        let request = makeRequest { $0.setHeader(name: "transfer-encoding", value: "chunked") }
        #expect(refusal(of: request).contains("Transfer-Encoding cannot be set"))
    }

    @Test func `Cookies are joined, and one of the same name is replaced`() {
        let request = makeRequest { request in
            request.setCookie(cookie: "a=1")
            request.setCookies(cookies: ["b=2", "c=x=y"])
            request.setCookie(cookie: "a=3; d=4")
        }
        #expect(request.getHeader(name: "Cookie") == "b=2; c=x=y; a=3; d=4")
    }

    @Test func `A cookie without a name is refused`() throws {
        #expect(refusal(of: makeRequest { $0.setCookie(cookie: "abc") }).contains("name=value"))
    }
}
