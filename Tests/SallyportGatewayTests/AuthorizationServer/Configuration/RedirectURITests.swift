import TestSupport
import Testing

@testable import SallyportGateway

@Suite(.concurrencyLimited) struct RedirectURITests {
    @Test(
        arguments: [
            ("http://127.0.0.1:1/cb", true), ("http://127.0.0.1/cb", true), ("http://[::1]:9/cb", true),
            ("https://app.example/cb", true), ("com.example.app:/cb", true), ("http://127.0.0.1:0/cb", false),
            ("http://127.0.0.1:/cb", false), ("http://127.0.0.1:65536/cb", false), ("http://127.0.0.1:1/cb/", false),
            ("http://127.0.0.1:1/CB", false), ("http://127.0.0.1:1/../cb", false), ("http://127.0.0.1:1@x/cb", false),
            ("http://127.0.0.1x/cb", false), ("http://localhost:1/cb", false), ("https://app.example:444/cb", false),
            ("https://app.example/cb?x", false), ("https://app.example.evil/cb", false), ("com.example.app:/x", false),
            ("http://127.0.0.1:١/cb", false), ("", false),
        ]
    )
    func `A redirect URI must match a registered one, except for the port of a loopback URI`(uri: String, isRight: Bool)
    {
        let registered = [
            "http://127.0.0.1/cb", "http://[::1]:80/cb", "https://app.example/cb", "com.example.app:/cb",
        ]
        #expect(RedirectURI.matches(uri, oneOf: registered) == isRight)
    }

    @Test func `Parameters are escaped and appended to the existing query of a redirect URI`() {
        #expect(
            RedirectURI.adding([("a", "1 &ü"), ("b", nil)], to: "https://x.example/")
                == "https://x.example/?a=1%20%26%C3%BC"
        )
        #expect(RedirectURI.adding([("a", "1")], to: "https://x.example/?q=2") == "https://x.example/?q=2&a=1")
    }
}
