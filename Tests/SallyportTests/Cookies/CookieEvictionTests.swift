import Foundation
import TestSupport
import Testing

@testable import Sallyport

@Suite("Cookie eviction", .concurrencyLimited)
struct CookieEvictionTests {
    private func names(_ jar: CookieJar) -> [String] {
        jar.allCookies.map(\.name)
    }

    @Test("A crowded domain loses its least recently used cookie")
    func leastRecentlyUsed() {
        let jar = CookieJar.forTests(maximumPerDomain: 3)
        jar.store("a=1; Path=/a", "b=1; Path=/b", "c=1; Path=/c", from: "https://example.com/")
        #expect(jar.header("https://example.com/a") == "a=1")
        jar.store("d=1", from: "https://example.com/")
        #expect(names(jar) == ["a", "c", "d"])
    }

    @Test("Setting a cookie again counts as a use")
    func updateIsUse() {
        let jar = CookieJar.forTests(maximumPerDomain: 2)
        jar.store("a=1", "b=1", "a=2", "c=1", from: "https://example.com/")
        #expect(names(jar) == ["a", "c"])
    }

    @Test("A crowded domain loses cookies that are not secure before those that are")
    func insecureFirst() {
        let jar = CookieJar.forTests(maximumPerDomain: 2)
        jar.store("a=1; Secure", "b=1", "c=1; Secure", from: "https://example.com/")
        #expect(names(jar) == ["a", "c"])
        jar.store("d=1", from: "https://example.com/")
        #expect(names(jar) == ["a", "c"])
        jar.store("e=1; Secure", from: "https://example.com/")
        #expect(names(jar) == ["c", "e"])
    }

    @Test("A crowded domain loses expired cookies before any other")
    func expiredFirst() {
        let jar = CookieJar.forTests(maximumPerDomain: 2)
        jar.store("old=1", "dead=1; Max-Age=5; Secure", from: "https://example.com/")
        jar.store("new=1", from: "https://example.com/", after: 6)
        #expect(names(jar) == ["old", "new"])
    }

    @Test("Domains do not crowd each other")
    func domainsAreApart() {
        let jar = CookieJar.forTests(maximumPerDomain: 1)
        for host in ["example.com", "www.example.com", "example.org"] {
            jar.store("a=1", from: "https://\(host)/")
        }
        #expect(jar.allCookies.count == 3)
    }

    @Test("A full jar loses expired cookies and then the least recently used of all")
    func fullJar() {
        let jar = CookieJar.forTests(maximumTotal: 3)
        jar.store("a=1; Secure", from: "https://a.example/")
        jar.store("b=1; Max-Age=5", from: "https://b.example/")
        jar.store("c=1", from: "https://c.example/")
        jar.store("d=1", from: "https://d.example/", after: 6)
        #expect(names(jar) == ["a", "c", "d"])
        #expect(jar.header("https://a.example/") == "a=1")
        jar.store("e=1", from: "https://e.example/")
        #expect(names(jar) == ["a", "d", "e"])
    }

    @Test("A jar holds 50 cookies for each domain and 3000 in all unless told otherwise")
    func defaults() {
        let jar = CookieJar(publicSuffixes: .compact)
        for number in 0..<60 { jar.store("n\(number)=1", from: "https://example.com/") }
        #expect(names(jar) == (10..<60).map { "n\($0)" })
        for number in 0..<3000 { jar.store("a=1", from: "https://h\(number).example.com/") }
        #expect(jar.allCookies.count == 3000)
        #expect(jar.header("https://example.com/") == nil)
    }

    @Test("A jar with no room holds nothing", arguments: [(0, 10), (10, 0), (-1, -1)])
    func noRoom(perDomain: Int, inAll: Int) {
        let jar = CookieJar.forTests(maximumPerDomain: perDomain, maximumTotal: inAll)
        jar.store("a=1", "b=1; Secure", from: "https://example.com/")
        #expect(jar.allCookies.isEmpty)
    }
}
