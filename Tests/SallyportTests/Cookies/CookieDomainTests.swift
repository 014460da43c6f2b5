import Foundation
import TestSupport
import Testing

@testable import Sallyport

@Suite(.concurrencyLimited) struct CookieDomainTests {
    @Test(
        arguments: [
            ("www.example.com", "example.com"), ("www.example.com", ".example.com"),
            ("www.example.com", "WWW.example.com"),
            ("a.b.example.co.uk", "example.co.uk"), ("example.com", "example.com"), ("www.example.com.", "example.com"),
            ("me.github.io", "me.github.io"), ("www.xn--bcher-kva.example", "xn--bcher-kva.example"),
        ]
    )
    func `A Domain attribute equal to the host or a parent domain makes the cookie match subdomains`(
        host: String,
        domain: String
    ) {
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
    func `A cookie for a foreign domain, a public suffix or an invalid domain is refused`(host: String, domain: String)
    {
        #expect(parseCookie("a=b; Domain=\(domain)", from: "https://\(host)/") == nil)
    }

    @Test(
        arguments: ["localhost", "github.io", "co.uk", "intranet", "127.0.0.1"]
    )
    func `A public suffix or an address as its own Domain attribute gives a host-only cookie`(host: String) {
        let cookie = parseCookie("a=b; Domain=\(host)", from: "https://\(host)/")
        #expect(cookie?.domain == host)
        #expect(cookie?.isHostOnly == true)
    }

    @Test(arguments: ["Domain", "Domain=", "Domain=."])
    func `An empty Domain attribute is ignored`(attribute: String) {
        #expect(parseCookie("a=b; \(attribute)") == parseCookie("a=b"))
    }

    @Test func `A cookie from an IPv6 address has that address as its domain`() {
        #expect(parseCookie("a=b", from: "http://[::1]:8080/")?.domain == "::1")
    }
}
