import Foundation
import TestSupport
import Testing

@testable import Sallyport

@Suite(.concurrencyLimited) struct CookieParseTests {
    @Test(
        arguments: [
            ("SID=31d4d96e407aad42", "SID", "31d4d96e407aad42"), ("  a \t=\t b  ; Path=/", "a", "b"),
            ("a=b=c", "a", "b=c"),
            ("a=", "a", ""), ("=b", "", "b"), ("b", "", "b"), ("a=\"q\"", "a", "\"q\""), ("a=b, c=d", "a", "b, c=d"),
            ("a=x\ty", "a", "x\ty"), ("naïve=ü", "naïve", "ü"), ("a=b;\u{301}Secure", "a", "b"), ("a=b;;;", "a", "b"),
            ("==b", "", "=b"),
        ]
    )
    func `Name and value are separated at the first equals sign and trimmed`(
        text: String,
        name: String,
        value: String
    ) {
        let cookie = parseCookie(text)
        #expect(cookie?.name == name)
        #expect(cookie?.value == value)
    }

    @Test func `A cookie without attributes is host-only, has the default path and lasts for the session`() {
        #expect(
            parseCookie("a=b")
                == Cookie(name: "a", value: "b", domain: "www.example.com", path: "/a/b", isSecure: false)
        )
    }

    @Test func `All attributes are parsed case-insensitively`() {
        let text = "a=b; DOMAIN=.Example.COM; path=/x; sEcUrE; HTTPONLY=yes; samesite=LAX; max-AGE=60; Unknown=1"
        #expect(
            parseCookie(text)
                == Cookie(
                    name: "a",
                    value: "b",
                    domain: "example.com",
                    path: "/x",
                    expiresDate: cookieTestTime.addingTimeInterval(60),
                    isHTTPOnly: true,
                    isHostOnly: false,
                    sameSitePolicy: .lax
                )
        )
    }

    @Test func `The last of several attributes with the same name is used`() {
        let cookie = parseCookie("a=b; Path=/x; Path=/y; Max-Age=1; Max-Age=2; Domain=com.example; Domain=example.com")
        #expect(cookie?.path == "/y")
        #expect(cookie?.expiresDate == cookieTestTime.addingTimeInterval(2))
        #expect(cookie?.domain == "example.com")
        #expect(parseCookie("a=b; Path=/x; Path=")?.path == "/a/b")
        #expect(parseCookie("a=b; Domain=example.com; Domain=")?.isHostOnly == true)
        #expect(parseCookie("a=b; SameSite=Strict; SameSite=odd")?.sameSitePolicy == nil)
    }

    @Test(
        arguments: ["Path", "Path=", "Path=x", "Path=\"/\""]
    )
    func `A path that does not begin with a slash is replaced by the default path`(attribute: String) {
        #expect(parseCookie("a=b; \(attribute)")?.path == "/a/b")
    }

    @Test(
        arguments: [0x00, 0x01, 0x08, 0x0A, 0x0D, 0x1F, 0x7F]
    )
    func `A field with a control character is refused`(octet: UInt8) {
        let control = String(UnicodeScalar(octet))
        #expect(parseCookie("a\(control)=b") == nil)
        #expect(parseCookie("a=b\(control)c") == nil)
        #expect(parseCookie("a=b; Path=/\(control)") == nil)
        #expect(parseCookie("a=b\(control)") == nil)
    }

    @Test func `A name and value of 4096 bytes together are accepted, 4097 bytes are refused`() {
        #expect(parseCookie("ab=" + String(repeating: "x", count: 4094)) != nil)
        #expect(parseCookie("ab=" + String(repeating: "x", count: 4095)) == nil)
        #expect(parseCookie(String(repeating: "ü", count: 2049) + "=") == nil)
    }

    @Test func `An attribute value of more than 1024 bytes is ignored`() {
        let path = "/" + String(repeating: "x", count: 1023)
        #expect(parseCookie("a=b; Path=\(path)")?.path == path)
        #expect(parseCookie("a=b; Path=/short; Path=\(path)x")?.path == "/short")
    }

    @Test(arguments: ["", "=", " = ", ";", "; Path=/", "  "])
    func `A cookie with neither name nor value is refused`(text: String) {
        #expect(parseCookie(text) == nil)
    }

    @Test func `SameSite is case-insensitive, and SameSite=None requires Secure`() {
        #expect(parseCookie("a=b; SameSite=strict")?.sameSitePolicy == .strict)
        #expect(parseCookie("a=b; SameSite=NONE; Secure")?.sameSitePolicy == Cookie.SameSitePolicy.none)
        #expect(parseCookie("a=b; SameSite=None") == nil)
        #expect(parseCookie("a=b; SameSite") == parseCookie("a=b"))
    }

    @Test(arguments: [
        "https://example.com/", "HTTPS://example.com/", "http://localhost/", "HTTP://LOCALHOST:8080/",
        "http://localhost./",
        "http://app.localhost/", "http://127.0.0.1/", "http://127.8.9.1:31021/", "http://[::1]:8080/",
    ])
    func `A Secure cookie is accepted from HTTPS and from loopback hosts, and sent there`(url: String) {
        #expect(parseCookie("a=b; Secure", from: url)?.isSecure == true)
        let jar = CookieJar.forTests()
        jar.store("a=b; Secure; SameSite=None", "__Secure-c=d; Secure", "__Host-e=f; Secure; Path=/", from: url)
        #expect(jar.header(url) == "a=b; __Secure-c=d; __Host-e=f")
    }

    @Test(arguments: [
        "http://example.com/", "http://localhost.example.com/", "http://127.0.0.1.example.com/", "http://10.0.0.1/",
        "http://mylocalhost/", "http://[::2]/", "http://0.0.0.0/", "ftp://localhost/",
    ])
    func `A Secure cookie is neither accepted from nor sent to another host without TLS`(url: String) {
        #expect(parseCookie("a=b; Secure", from: url) == nil)
        #expect(parseCookie("__Secure-a=b; Secure", from: url) == nil)
        let jar = CookieJar.forTests()
        jar.store("a=b; Secure", from: url.replacing(/^(http|ftp):/, with: "https:"))
        #expect(jar.header(url) == nil)
    }

    @Test func `A URL without a host sets no cookie`() {
        #expect(parseCookie("a=b", from: "file:///x") == nil)
    }
}
