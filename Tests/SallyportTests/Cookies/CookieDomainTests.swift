import Foundation
import TestSupport
import Testing

@testable import Sallyport

@Suite("The Domain attribute", .concurrencyLimited)
struct CookieDomainTests {
    @Test(
        arguments: [
            ("www.example.com", "example.com"), ("www.example.com", ".example.com"),
            ("www.example.com", "WWW.example.com"),
            ("a.b.example.co.uk", "example.co.uk"), ("example.com", "example.com"), ("www.example.com.", "example.com"),
            ("me.github.io", "me.github.io"), ("www.xn--bcher-kva.example", "xn--bcher-kva.example"),
        ]
    )
    func `A domain at or above the host is accepted and covers the hosts below it`(host: String, domain: String) {
        let cookie = parseCookie("a=b; Domain=\(domain)", from: "https://\(host)/")
        #expect(cookie?.isHostOnly == false)
        #expect(cookie?.domain == (domain.hasPrefix(".") ? String(domain.dropFirst()) : domain.lowercased()))
    }

    @Test(
        arguments: [
            ("www.example.com", "other.com"), ("evilexample.com", "example.com"), ("example.com", "www.example.com"),
            ("www.example.com", "com"), ("www.example.com", ".com"), ("www.example.co.uk", "co.uk"),
            ("www.example.com.au", "com.au"), ("me.github.io", "github.io"), ("me.localhost", "localhost"),
            ("www.example.com", "..example.com"), ("www.example.com", "example.com."),
            ("www.example.com", "example.com:443"), ("www.example.com", "*.example.com"),
            ("www.bücher.example", "bücher.example"), ("www.bank.example", "ban\u{212A}.example"),
            ("127.0.0.1", "0.0.1"), ("127.0.0.1", "1"), ("1.2.3.4", "2.3.4"),
        ]
    )
    func `A domain that the host is not in, or that anyone may be in, refuses the cookie`(host: String, domain: String)
    {
        #expect(parseCookie("a=b; Domain=\(domain)", from: "https://\(host)/") == nil)
    }

    @Test(
        arguments: ["localhost", "github.io", "co.uk", "intranet", "127.0.0.1"]
    )
    func `A host that is itself a public suffix, or an address, may name itself and stays alone`(host: String) {
        let cookie = parseCookie("a=b; Domain=\(host)", from: "https://\(host)/")
        #expect(cookie?.domain == host)
        #expect(cookie?.isHostOnly == true)
    }

    @Test(arguments: ["Domain", "Domain=", "Domain=."])
    func `An empty domain is no domain`(attribute: String) {
        #expect(parseCookie("a=b; \(attribute)") == parseCookie("a=b"))
    }

    @Test func `A cookie of an IPv6 host belongs to that address`() {
        #expect(parseCookie("a=b", from: "http://[::1]:8080/")?.domain == "::1")
    }
}
