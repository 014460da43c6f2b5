import Foundation
import TestSupport
import Testing

@testable import Sallyport

@Suite(.busy) struct CookieFuzzTests {
    private static let words = [
        "=", ";", "; ", ",", " ", "\t", "\r\n", "\u{0}", "\"", "-", ".", ":", "/", "a", "é", "👩‍👩‍👧", "\u{301}", "%00",
        "Path=",
        "; Path=/", "; Domain=", "Domain=.example.com", "example.com", "; Max-Age=", "; Expires=",
        "99999999999999999999",
        "Wed, 09 Jun 2100 10:18:14 GMT", "31 Feb", "10:18:14", "; Secure", "; HttpOnly", "; SameSite=", "None", "Lax",
        "__Host-", "__Secure-", "0", "-1",
    ]

    private static let origins = [
        "https://www.example.com/a/b", "http://example.com", "http://127.0.0.1/", "https://[::1]/",
        "http://localhost/x?y",
    ]

    @Test func `Parsing 10,000 random Set-Cookie fields does not crash and stores only valid cookies`() throws {
        var generator = SeededGenerator(seed: 42)
        let jar = CookieJar.forTests(maximumPerDomain: 20, maximumTotal: 60)
        for _ in 0..<10_000 {
            let length = Int.random(in: 0...12, using: &generator)
            let field = (0..<length).map { _ in Self.words.randomElement(using: &generator) ?? "" }.joined()
            let origin = Self.origins.randomElement(using: &generator) ?? ""
            jar.store(field, from: origin)
            let header = jar.header(origin) ?? ""
            #expect(!header.utf8.contains { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F })
        }
        #expect(!jar.allCookies.isEmpty && jar.allCookies.count <= 60)
        #expect(jar.allCookies.allSatisfy { $0.defect == nil && $0.satisfiesPrefix })
        try CookieJar.forTests().load(netscapeText: jar.netscapeText)
    }

    @Test func `Parsing 10,000 random dates does not crash and gives no date before 1601`() {
        var generator = SeededGenerator(seed: 42)
        let parts = [
            "1", "31", "00", "99", "2027", "Jan", "feb", "Dec", "10:18:14", "24:0:0", ":", "::", " ", "-", "é",
            "99999999999999999999",
        ]
        var dates: [Date] = []
        for _ in 0..<10_000 {
            let text = (0..<8).map { _ in parts.randomElement(using: &generator) ?? "" }.joined(separator: " ")
            if let date = CookieDate.parse(text) { dates.append(date) }
        }
        #expect(!dates.isEmpty)
        #expect(dates.allSatisfy { $0 >= Date(timeIntervalSince1970: -11_644_473_600) })
    }
}
