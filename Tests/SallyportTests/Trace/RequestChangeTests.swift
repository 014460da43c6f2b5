import ClientTestSupport
import Foundation
import SallyportTesting
import TestSupport
import Testing

@testable import Sallyport

@Suite(.concurrencyLimited) struct RequestChangeTests {
    private func changes(
        of original: HttpRequest = makeRequest("https://api.example.com/a?x=1&x=2&y=3"),
        by change: (inout HttpRequest) -> Void
    ) -> [String] {
        var changed = original
        change(&changed)
        let masker = SecretMasker(style: .display)
        return RequestChange.all(from: original, to: changed).map { $0.shown(masker).description }
    }

    @Test func `Equal requests and equivalent URLs have no changes`() {
        let request = makeRequest("https://api.example.com/a?x=1") { request in
            request.setParameter(name: "b", value: "c")
            request.setCookie(cookie: "a=1")
            request.post(contentType: "text/plain", body: "text")
        }
        #expect(changes(of: request) { _ in }.isEmpty)
        #expect(changes { $0.url = "HTTPS://API.example.com:443/a?x=1&x=2&y=3#fragment" }.isEmpty)
    }

    @Test func `Query parameters of the URL and of the request are compared by their decoded names`() {
        #expect(changes { $0.setParameter(name: "a b", value: "ü") } == ["+ query a b=ü"])
        #expect(changes { $0.url = "https://api.example.com/a?x=2" } == ["- query x=1", "- query y=3"])
        #expect(changes { $0.url = "https://api.example.com/a?y=4&x=1&x=2" } == ["~ query y=3 -> 4"])
        #expect(changes { $0.addParameter(name: "x", value: "2") } == ["+ query x=2"])
        #expect(changes { $0.setParameter(name: "y", value: "4") } == ["~ query y=3 -> 4"])
    }

    @Test func `Headers are compared by name in any letter case`() {
        let request = makeRequest { request in
            request.setHeader(name: "Accept", value: "a")
            request.addHeader(name: "X-Many", value: "1")
            request.addHeader(name: "X-Many", value: "2")
        }
        #expect(changes(of: request) { $0.setHeader(name: "ACCEPT", value: "a") }.isEmpty)
        #expect(changes(of: request) { $0.setHeader(name: "accept", value: "b") } == ["~ header Accept: a -> b"])
        #expect(changes(of: request) { $0.addHeader(name: "x-many", value: "3") } == ["+ header X-Many: 3"])
        #expect(
            changes(of: request) { $0.removeHeader(name: "X-Many") } == ["- header X-Many: 1", "- header X-Many: 2"]
        )
    }

    @Test func `Cookies are compared one by one without showing their values`() {
        let request = makeRequest { $0.setHeader(name: "Cookie", value: "a=1; b=2") }
        #expect(
            changes(of: request) { $0.setHeader(name: "Cookie", value: "b=3; c=4; rest") } == [
                "- cookie a=***", "~ cookie b=*** -> ***", "+ cookie c=***", "+ cookie =***",
            ]
        )
    }

    @Test func `Changes of a body show its type and size only`() {
        let text = makeRequest { $0.post(contentType: "text/plain; charset=utf-8", body: "abc") }
        #expect(
            changes(of: text) { $0.setBody(Data("xyz".utf8)) } == ["~ body text/plain, 3 B -> text/plain, 3 B"]
        )
        #expect(changes(of: text) { $0.body = .file(URL(fileURLWithPath: "/secret")) }.last?.contains("a file") == true)
        #expect(changes(of: text) { $0.setBody(nil) } == ["- body text/plain, 3 B"])
        func stream() -> BodyStream { BodyStream(AsyncStream<Data> { $0.finish() }, length: 7) }
        let streamed = makeRequest { $0.body = .stream(stream()) }
        #expect(changes(of: streamed) { $0.setMethod("PURGE") } == ["~ method GET -> PURGE"])
        #expect(
            changes(of: streamed) { $0.body = .stream(stream()) } == [
                "~ body a stream of 7 B -> a stream of 7 B"
            ]
        )
    }

    @Test func `Changes of a timeout are shown`() {
        #expect(changes { $0.timeout = 30 } == ["~ timeout total: 15 s -> 30 s"])
        #expect(changes { $0.timeout = .infinity } == ["~ timeout total: 15 s -> none"])
    }

    @Test func `A missing or invalid URL is shown without its secrets`() {
        #expect(
            changes(of: makeRequest(nil)) { $0.url = "https://a.example" } == ["~ url (none) -> https://a.example/"]
        )
        let broken = changes { $0.url = "https://user:SECRET@a.example/?token=SECRET" }
        #expect(broken.first?.hasPrefix("~ url https://api.example.com/a -> https://***@a.example/") == true)
        #expect(!broken.joined().contains("SECRET"))
    }

    @Test func `Control characters are escaped and long values are truncated`() {
        let escape = changes { $0.setParameter(name: "a\u{1B}[2J", value: "b\n+ header X: 1") }
        #expect(escape == ["+ query a\\u{1B}[2J=b\\u{A}+ header X: 1"])
        let long = changes { $0.setHeader(name: "X-Long", value: String(repeating: "x", count: 5000)) }
        #expect(long == ["+ header X-Long: " + String(repeating: "x", count: 200) + "…"])
    }

    @Test func `A value that is secret in either request is masked in both`() {
        let marked = makeRequest { $0.setHeader(name: "X-Mine", value: "SECRET", isSensitive: true) }
        #expect(
            changes(of: marked) { $0.setHeader(name: "X-Mine", value: "SECRET2") } == ["~ header X-Mine: *** -> ***"]
        )
    }
}
