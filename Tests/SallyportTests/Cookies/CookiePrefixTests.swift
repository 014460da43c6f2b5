import Foundation
import TestSupport
import Testing

@testable import Sallyport

@Suite(.concurrencyLimited) struct CookiePrefixTests {
    @Test(
        arguments: [
            "__Secure-a=b; Secure", "__Secure-a=b; Secure; Domain=example.com; Path=/x", "__Host-a=b; Secure; Path=/",
            "__host-a=b; Path=/; Secure; HttpOnly", "__Hosta=b", "x__Host-a=b", "__SECURE-a=b; secure",
        ]
    )
    func `A cookie that meets the requirements of its prefix is accepted`(text: String) {
        #expect(parseCookie(text, from: "https://www.example.com/") != nil)
    }

    @Test(
        arguments: [
            "__Secure-a=b", "__sEcUrE-a=b; Path=/", "__Host-a=b; Path=/", "__Host-a=b; Secure",
            "__Host-a=b; Secure; Path=/x", "__Host-a=b; Secure; Path=x",
            "__Host-a=b; Secure; Path=/; Domain=www.example.com",
            "__HOST-a=b; Secure; Path=/; Domain=example.com", "  __Host-a=b; Secure",
            "__Host-\u{301}a=b", "__Secure-\u{301}a=b",
        ]
    )
    func `A cookie that violates the requirements of its prefix is refused`(text: String) {
        #expect(parseCookie(text, from: "https://www.example.com/") == nil)
    }

    @Test(
        arguments: ["=__Host-a=b", "__Secure-a", "=__secure-a=b"]
    )
    func `A prefix cannot be hidden in the value of a nameless cookie`(text: String) {
        #expect(parseCookie("\(text); Secure; Path=/") == nil)
    }

    @Test func `A prefixed cookie from an HTTP origin is refused`() {
        #expect(parseCookie("__Secure-a=b; Secure", from: "http://www.example.com/") == nil)
        #expect(parseCookie("__Host-a=b; Secure; Path=/", from: "http://www.example.com/") == nil)
    }
}
