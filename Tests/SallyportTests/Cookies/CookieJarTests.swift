import Foundation
import TestSupport
import Testing

@testable import Sallyport

@Suite(.concurrencyLimited) struct CookieJarTests {
    private let jar = CookieJar.forTests()

    @Test func `Stored cookies are sent only to matching hosts`() {
        jar.store(
            "SID=31d4; Path=/; Secure; HttpOnly",
            "lang=en-US; Path=/; Domain=example.com",
            from: "https://www.example.com/"
        )
        #expect(jar.header("https://www.example.com/x") == "SID=31d4; lang=en-US")
        #expect(jar.header("https://other.example.com/") == "lang=en-US")
        #expect(jar.header("https://example.com/") == "lang=en-US")
        #expect(jar.header("https://evilexample.com/") == nil)
        #expect(jar.header("https://example.com.evil.net/") == nil)
        #expect(jar.header("https://com/") == nil)
    }

    @Test func `A host-only cookie is not sent to parent domains or subdomains`() {
        jar.store("a=b", from: "https://www.example.com/")
        #expect(jar.header("https://www.example.com/") == "a=b")
        #expect(jar.header("https://WWW.EXAMPLE.com.:444/") == "a=b")
        #expect(jar.header("https://a.www.example.com/") == nil)
        #expect(jar.header("https://example.com/") == nil)
    }

    @Test func `A secure cookie is sent over HTTPS, and over HTTP only to loopback`() {
        for host in ["localhost", "example.com"] {
            jar.store("a=b; Secure", from: "https://\(host)/")
            #expect(jar.header("https://\(host)/") == "a=b")
            #expect(jar.header("http://\(host)/") == (host == "localhost" ? "a=b" : nil))
            #expect(jar.header("ws://\(host)/") == nil)
        }
    }

    @Test func `Cookies are shared by all ports of a host`() {
        jar.store("a=b", from: "http://127.0.0.1:8080/")
        #expect(jar.header("http://127.0.0.1:9090/") == "a=b")
        #expect(jar.header("http://127.0.0.2:8080/") == nil)
    }

    @Test func `Cookies with longer paths are sent first, then older cookies`() {
        jar.store(
            "first=1; Path=/",
            "deep=1; Path=/a/b",
            "second=1; Path=/",
            "middle=1; Path=/a",
            from: "https://example.com/"
        )
        jar.store("wide=1; Path=/a; Domain=example.com", from: "https://example.com/")
        #expect(jar.header("https://example.com/a/b/c") == "deep=1; middle=1; wide=1; first=1; second=1")
        #expect(jar.header("https://example.com/a/bc") == "middle=1; wide=1; first=1; second=1")
        #expect(jar.header("https://example.com/") == "first=1; second=1")
    }

    @Test func `A cookie that is set again keeps its position`() {
        jar.store("a=1", "b=1", from: "https://example.com/")
        jar.store("a=2", from: "https://example.com/", after: 100)
        #expect(jar.header("https://example.com/") == "a=2; b=1")
    }

    @Test func `Cookies are identified by case-sensitive name, domain, path and host-only flag`() {
        jar.store("a=1", "A=2", "a=3; Path=/x", "a=4; Domain=example.com", from: "https://example.com/")
        #expect(jar.header("https://example.com/x") == "a=3; a=1; A=2; a=4")
    }

    @Test func `A cookie without a name is sent as its value alone`() {
        jar.store("bare", "=other", "a=", from: "https://example.com/")
        #expect(jar.header("https://example.com/") == "other; a=")
    }

    @Test func `An expired cookie is not sent`() {
        jar.store("a=1; Max-Age=10", "b=2", from: "https://example.com/")
        #expect(jar.header("https://example.com/", after: 9) == "a=1; b=2")
        #expect(jar.header("https://example.com/", after: 10) == "b=2")
    }

    @Test func `A server deletes a cookie by setting it with a past expiry date`() {
        jar.store("a=1; Path=/x", "b=2", from: "https://example.com/")
        jar.store("a=; Path=/; Max-Age=0", from: "https://example.com/")
        #expect(jar.header("https://example.com/x") == "a=1; b=2")
        jar.store("a=; Path=/x; Expires=Thu, 01 Jan 1970 00:00:00 GMT", from: "https://example.com/")
        #expect(jar.header("https://example.com/x") == "b=2")
    }

    @Test func `A refused Set-Cookie field does not affect the others`() {
        jar.store("a=1", "bad=\u{1}", "evil=1; Domain=com", "b=2", from: "https://example.com/")
        #expect(jar.header("https://example.com/") == "a=1; b=2")
    }

    @Test func `Cookies can be listed and removed`() {
        jar.store("a=1; Domain=example.com", "a=2", "b=3; Path=/x", from: "https://example.com/")
        #expect(jar.allCookies.map(\.value) == ["1", "2", "3"])
        jar.remove(name: "a", domain: ".EXAMPLE.com")
        jar.remove(name: "b", domain: "example.com")
        jar.remove(name: "none", domain: "nowhere.example")
        #expect(jar.allCookies.map(\.value) == ["3"])
        jar.remove(name: "b", domain: "example.com", path: "/x")
        #expect(jar.allCookies.isEmpty)
    }

    @Test func `Session cookies can be removed separately, and all cookies at once`() {
        jar.store("a=1", "b=2; Max-Age=99", from: "https://example.com/")
        jar.removeSessionCookies()
        #expect(jar.header("https://example.com/") == "b=2")
        jar.removeAll()
        #expect(jar.header("https://example.com/") == nil)
    }

    @Test func `A jar can be used by many tasks concurrently`() async {
        let jar = jar
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<50 {
                group.addTask {
                    for turn in 0..<20 {
                        jar.store("n=\(turn)", from: "https://h\(task).example.com/")
                        _ = jar.header("https://h\(task).example.com/")
                    }
                }
            }
        }
        #expect(jar.allCookies.count == 50)
    }
}
