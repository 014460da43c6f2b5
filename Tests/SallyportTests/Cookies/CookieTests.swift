import Foundation
import TestSupport
import Testing

@testable import Sallyport

@Suite(.concurrencyLimited) struct CookieTests {
    private let cookie = Cookie(name: "id", value: "s3cret", domain: ".Example.com", path: "/x")

    @Test func `No description of a cookie shows its value`() {
        var dumped = ""
        dump([cookie], to: &dumped)
        for text in ["\(cookie)", String(reflecting: cookie), "\([cookie])", "\(Optional(cookie) as Any)", dumped] {
            #expect(!text.contains("s3cret"))
            #expect(text.contains("id") && text.contains("example.com") && text.contains("/x"))
        }
    }

    @Test func `A cookie created by the app has the most restrictive defaults`() {
        let cookie = Cookie(name: "a", value: "b", domain: "example.com")
        #expect(cookie.isSecure && cookie.isHostOnly && !cookie.isHTTPOnly)
        #expect(cookie.path == "/" && cookie.expiresDate == nil && cookie.sameSitePolicy == nil)
    }

    @Test func `The domain is stored in lowercase without a leading dot`() {
        #expect(cookie.domain == "example.com")
    }
}
