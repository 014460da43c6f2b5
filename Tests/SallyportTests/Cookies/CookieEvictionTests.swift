import Foundation
import TestSupport
import Testing

@testable import Sallyport

@Suite(.concurrencyLimited) struct CookieEvictionTests {
    private func names(_ jar: CookieJar) -> [String] {
        jar.allCookies.map(\.name)
    }

    @Test func `A full domain evicts its least recently used cookie`() {
        let jar = CookieJar.forTests(maximumPerDomain: 3)
        jar.store("a=1; Path=/a", "b=1; Path=/b", "c=1; Path=/c", from: "https://example.com/")
        #expect(jar.header("https://example.com/a") == "a=1")
        jar.store("d=1", from: "https://example.com/")
        #expect(names(jar) == ["a", "c", "d"])
    }

    @Test func `Setting a cookie again counts as a use`() {
        let jar = CookieJar.forTests(maximumPerDomain: 2)
        jar.store("a=1", "b=1", "a=2", "c=1", from: "https://example.com/")
        #expect(names(jar) == ["a", "c"])
    }

    @Test func `A full domain evicts cookies without Secure before secure ones`() {
        let jar = CookieJar.forTests(maximumPerDomain: 2)
        jar.store("a=1; Secure", "b=1", "c=1; Secure", from: "https://example.com/")
        #expect(names(jar) == ["a", "c"])
        jar.store("d=1", from: "https://example.com/")
        #expect(names(jar) == ["a", "c"])
        jar.store("e=1; Secure", from: "https://example.com/")
        #expect(names(jar) == ["c", "e"])
    }

    @Test func `A full domain evicts expired cookies first`() {
        let jar = CookieJar.forTests(maximumPerDomain: 2)
        jar.store("old=1", "dead=1; Max-Age=5; Secure", from: "https://example.com/")
        jar.store("new=1", from: "https://example.com/", after: 6)
        #expect(names(jar) == ["old", "new"])
    }

    @Test func `The limit applies to each domain separately`() {
        let jar = CookieJar.forTests(maximumPerDomain: 1)
        for host in ["example.com", "www.example.com", "example.org"] {
            jar.store("a=1", from: "https://\(host)/")
        }
        #expect(jar.allCookies.count == 3)
    }

    @Test func `A full jar evicts expired cookies first and then the least recently used one`() {
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

    @Test func `The default limits are 50 cookies per domain and 3000 in total`() {
        let jar = CookieJar(publicSuffixes: .compact)
        for number in 0..<60 { jar.store("n\(number)=1", from: "https://example.com/") }
        #expect(names(jar) == (10..<60).map { "n\($0)" })
        for number in 0..<3000 { jar.store("a=1", from: "https://h\(number).example.com/") }
        #expect(jar.allCookies.count == 3000)
        #expect(jar.header("https://example.com/") == nil)
    }

    @Test(arguments: [(0, 10), (10, 0), (-1, -1)])
    func `A jar with a limit of zero or less stores nothing`(perDomain: Int, inAll: Int) {
        let jar = CookieJar.forTests(maximumPerDomain: perDomain, maximumTotal: inAll)
        jar.store("a=1", "b=1; Secure", from: "https://example.com/")
        #expect(jar.allCookies.isEmpty)
    }
}
