import Foundation
import TestSupport
import Testing

@testable import Sallyport

@Suite("Cookie name prefixes", .concurrencyLimited)
struct CookiePrefixTests {
    @Test(
        "A cookie that keeps the promise of its prefix is accepted",
        arguments: [
            "__Secure-a=b; Secure", "__Secure-a=b; Secure; Domain=example.com; Path=/x", "__Host-a=b; Secure; Path=/",
            "__host-a=b; Path=/; Secure; HttpOnly", "__Hosta=b", "x__Host-a=b", "__SECURE-a=b; secure",
        ]
    )
    func kept(text: String) {
        #expect(parseCookie(text, from: "https://www.example.com/") != nil)
    }

    @Test(
        "A cookie that breaks the promise of its prefix is refused",
        arguments: [
            "__Secure-a=b", "__sEcUrE-a=b; Path=/", "__Host-a=b; Path=/", "__Host-a=b; Secure",
            "__Host-a=b; Secure; Path=/x", "__Host-a=b; Secure; Path=x",
            "__Host-a=b; Secure; Path=/; Domain=www.example.com",
            "__HOST-a=b; Secure; Path=/; Domain=example.com", "  __Host-a=b; Secure",
            "__Host-\u{301}a=b", "__Secure-\u{301}a=b",
        ]
    )
    func broken(text: String) {
        #expect(parseCookie(text, from: "https://www.example.com/") == nil)
    }

    @Test(
        "A prefix cannot be hidden in the value of a nameless cookie",
        arguments: ["=__Host-a=b", "__Secure-a", "=__secure-a=b"]
    )
    func nameless(text: String) {
        #expect(parseCookie("\(text); Secure; Path=/") == nil)
    }

    @Test("A prefixed cookie is refused from http")
    func insecureOrigin() {
        #expect(parseCookie("__Secure-a=b; Secure", from: "http://www.example.com/") == nil)
        #expect(parseCookie("__Host-a=b; Secure; Path=/", from: "http://www.example.com/") == nil)
    }
}
