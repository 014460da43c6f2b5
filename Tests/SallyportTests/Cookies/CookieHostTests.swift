import Foundation
import TestSupport
import Testing

@testable import Sallyport

@Suite(.concurrencyLimited) struct CookieHostTests {
    @Test(
        arguments: [
            ("example.com", "example.com"), ("www.example.com", "example.com"), ("a.b.c.example.com", "example.com"),
            ("WWW.Example.COM", "example.com"), ("www.example.com.", "example.com"), ("localhost", "localhost"),
            ("127.0.0.1", "127.0.0.1"), ("::1", "::1"), ("xn--bcher-kva.example", "example"),
        ]
    )
    func `A host matches itself and its parent domains`(host: String, domain: String) throws {
        #expect(try #require(CookieHost(host)).domainMatches(domain))
    }

    @Test(
        arguments: [
            ("evilexample.com", "example.com"), ("example.com.evil.net", "example.com"),
            ("example.com", "www.example.com"),
            ("example.org", "example.com"), ("com", "example.com"), ("127.0.0.1", "0.0.1"), ("1.2.3.4", "4"),
            ("10.0.0.1", "0.0.1"), ("fe80::1", "1"), ("foo.0x7f", "0x7f"), ("example.com", ""), ("example.com", ".com"),
        ]
    )
    func `A look-alike host does not match`(host: String, domain: String) throws {
        #expect(try !#require(CookieHost(host)).domainMatches(domain))
    }

    @Test(
        arguments: [
            "", ".", "a..b", ".example.com", "example.com..", "a b", "a\tb", "a;b", "bücher.example", "a\u{0}b",
        ]
    )
    func `An invalid host name is refused`(host: String) {
        #expect(CookieHost(host) == nil)
    }

    @Test func `A host longer than a DNS name is refused`() {
        #expect(CookieHost(String(repeating: "a.", count: 126) + "a") != nil)
        #expect(CookieHost(String(repeating: "a.", count: 127) + "a") == nil)
    }

    @Test func `The domains of a host are itself and its parents, and those of an address only itself`() throws {
        #expect(
            Array(try #require(CookieHost("a.b.example.com")).domains) == [
                "a.b.example.com", "b.example.com", "example.com", "com",
            ]
        )
        #expect(Array(try #require(CookieHost("127.0.0.1")).domains) == ["127.0.0.1"])
        #expect(Array(try #require(CookieHost("::1")).domains) == ["::1"])
    }

    @Test(
        arguments: [
            ("https://WWW.Example.com.:8443/x", "www.example.com"), ("http://[::1]:80/", "::1"),
            ("https://user:secret@example.com", "example.com"), ("https://bücher.example/", "xn--bcher-kva.example"),
        ]
    )
    func `The host of a URL is lowercase, without brackets, port or trailing dot`(url: String, host: String) {
        #expect(CookieHost(cookieURL(url))?.name == host)
    }

    @Test func `A URL without a host has no cookies`() {
        #expect(CookieHost(cookieURL("file:///etc/hosts")) == nil)
        #expect(CookieHost(cookieURL("data:,x")) == nil)
    }
}
