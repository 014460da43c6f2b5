import Foundation
import TestSupport
import Testing

@testable import Sallyport

@Suite(.concurrencyLimited) struct CookiePathTests {
    @Test(
        arguments: [
            ("https://a.example", "/"), ("https://a.example/", "/"), ("https://a.example/x", "/"),
            ("https://a.example/x/", "/x"), ("https://a.example/x/y", "/x"), ("https://a.example/x/y/", "/x/y"),
            ("https://a.example/x/y?z=/1/2", "/x"), ("https://a.example/x//y", "/x/"), ("https://a.example/x%2Fy", "/"),
            ("https://a.example?q", "/"), ("https://a.example/x/y#/f", "/x"),
        ]
    )
    func `The default path is the directory of the request path`(url: String, path: String) {
        #expect(CookiePath.defaultPath(of: cookieURL(url)) == path)
    }

    @Test(
        arguments: [
            ("/", "/"), ("/x", "/"), ("/x", "/x"), ("/x/", "/x"), ("/x/", "/x/"), ("/x/y", "/x"), ("/x/y/z", "/x/"),
            ("/x//y", "/x"),
        ]
    )
    func `A request at or below the cookie's path matches`(path: String, cookiePath: String) {
        #expect(CookiePath.matches(path, cookiePath: cookiePath))
    }

    @Test(
        arguments: [
            ("/", "/x"), ("/x", "/x/"), ("/xy", "/x"), ("/X", "/x"), ("/y/x", "/x"), ("/x%2Fy", "/x"), ("/x;y", "/x"),
        ]
    )
    func `A request outside the cookie's path does not match`(path: String, cookiePath: String) {
        #expect(!CookiePath.matches(path, cookiePath: cookiePath))
    }
}
