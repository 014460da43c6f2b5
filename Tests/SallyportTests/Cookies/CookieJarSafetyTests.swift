import Foundation
import TestSupport
import Testing

@testable import Sallyport

@Suite(.concurrencyLimited) struct CookieJarSafetyTests {
    private let jar = CookieJar.forTests()

    @Test(
        arguments: [
            ("a=evil", "http://www.example.com/"), ("a=evil; Domain=example.com", "http://www.example.com/"),
            ("a=evil; Domain=example.com", "http://other.example.com/"), ("a=evil", "http://example.com/"),
            ("a=evil", "http://deep.www.example.com/"), ("a=evil; Path=/x/y", "http://www.example.com/"),
            ("a=; Max-Age=0", "http://www.example.com/"),
        ]
    )
    func `An insecure origin cannot replace or shadow a secure cookie`(field: String, origin: String) {
        jar.store("a=good; Path=/; Secure; Domain=www.example.com", from: "https://www.example.com/")
        jar.store(field, from: origin)
        #expect(jar.allCookies.map(\.value) == ["good"])
    }

    @Test func `An insecure origin can set cookies with another name, site or path`() {
        jar.store("a=good; Path=/x; Secure", from: "https://www.example.com/x/")
        jar.store("b=1; Path=/x", "a=2; Path=/", from: "http://www.example.com/")
        jar.store("a=3", from: "http://evilwww.example.com/")
        #expect(jar.allCookies.map(\.value) == ["good", "1", "2", "3"])
    }

    @Test func `A secure origin can replace its own secure cookies, and an expired one can be replaced by any origin`()
    {
        jar.store("a=1; Secure", "b=1; Secure; Max-Age=5", from: "https://example.com/")
        jar.store("a=2", from: "https://example.com/")
        jar.store("b=2", from: "http://example.com/", after: 6)
        #expect(jar.header("http://example.com/", after: 6) == "a=2; b=2")
    }

    @Test func `A cookie created by the app is stored if a server could have set it`() {
        #expect(jar.store(Cookie(name: "a", value: "b", domain: "Example.com", isHostOnly: false)))
        #expect(jar.cookieHeader(for: cookieURL("https://api.example.com/")) == "a=b")
        #expect(jar.cookieHeader(for: cookieURL("http://api.example.com/")) == nil)
        #expect(jar.store(Cookie(name: "a", value: "b", domain: "localhost", isSecure: false)))
        #expect(jar.cookieHeader(for: cookieURL("http://localhost:8080/")) == "a=b")
    }

    @Test(
        arguments: [
            Cookie(name: "", value: "", domain: "a.example"),
            Cookie(name: "a", value: "b\r\nHost: evil", domain: "a.example"),
            Cookie(name: "a", value: "b; c=d", domain: "a.example"),
            Cookie(name: "a\n", value: "b", domain: "a.example"),
            Cookie(name: "a=b", value: "c", domain: "a.example"),
            Cookie(name: "a", value: String(repeating: "x", count: 4096), domain: "a.example"),
            Cookie(name: "a", value: "b", domain: ""),
            Cookie(name: "a", value: "b", domain: "a..example"),
            Cookie(name: "a", value: "b", domain: "a.example."),
            Cookie(name: "a", value: "b", domain: "a.example", path: ""),
            Cookie(name: "a", value: "b", domain: "a.example", path: "x"),
            Cookie(name: "a", value: "b", domain: "co.uk", isHostOnly: false),
            Cookie(name: "a", value: "b", domain: "localhost", isHostOnly: false),
            Cookie(name: "__Host-a", value: "b", domain: "a.example", path: "/x"),
            Cookie(name: "__Secure-a", value: "b", domain: "a.example", isSecure: false),
            Cookie(
                name: "a",
                value: "b",
                domain: "a.example",
                isSecure: false,
                sameSitePolicy: Cookie.SameSitePolicy.none
            ),
        ]
    )
    func `A cookie created by the app is refused if no server could have set it`(cookie: Cookie) {
        #expect(!jar.store(cookie))
        #expect(jar.allCookies.isEmpty)
    }

    @Test(
        arguments: [Date.distantFuture, Date(timeIntervalSince1970: .infinity)]
    )
    func `The lifetime of a cookie created by the app is limited to 400 days`(expiry: Date) {
        jar.store(Cookie(name: "a", value: "b", domain: "a.example", expiresDate: expiry), now: cookieTestTime)
        let url = cookieURL("https://a.example/")
        #expect(
            jar.cookies(for: url, now: cookieTestTime).first?.expiresDate
                == cookieTestTime.addingTimeInterval(400 * cookieTestDay)
        )
    }

    @Test func `A jar uses its own list of public suffixes`() {
        let jar = CookieJar(publicSuffixes: PublicSuffixes(text: "hosting.example"))
        jar.store("a=1; Domain=hosting.example", "b=2; Domain=me.hosting.example", from: "https://me.hosting.example/")
        #expect(jar.header("https://me.hosting.example/") == "b=2")
    }
}
