import SallyportTransport
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct ProxyTests {
    private func refusal(_ url: String) -> String {
        do {
            return "accepted: \(try Proxy(url))"
        } catch {
            guard case .invalidRequest = error else { return "not an invalid request: \(error)" }
            return error.description
        }
    }

    @Test func `HTTP and both SOCKS 5 schemes are accepted in any letter case`() throws {
        #expect(try Proxy("http://proxy.example.com:3128").kind == .http)
        #expect(try Proxy("https://proxy.example.com:3128").kind == .https)
        #expect(try Proxy("SOCKS5://proxy.example.com:1080").kind == .socks5(resolvesNames: false))
        #expect(try Proxy("socks5h://Proxy.Example.COM:1080/").kind == .socks5(resolvesNames: true))
        #expect(try Proxy("socks5h://Proxy.Example.COM:1080/").host == "proxy.example.com")
    }

    @Test func `An IPv6 address is written in brackets`() throws {
        let proxy = try Proxy("http://[::1]:3128")
        #expect(proxy.host == "::1")
        #expect(proxy.port == 3128)
        #expect(proxy.description == "http://[::1]:3128")
    }

    @Test func `User and password are percent-decoded and end at the last @`() throws {
        let proxy = try Proxy("http://us%40er:p%3Aa:s%2Fs@w\u{F6}rd@proxy:3128")
        #expect(proxy.host == "proxy")
        #expect(proxy.credentials?.user == "us@er")
        #expect(proxy.credentials?.password == "p:a:s/s@w\u{F6}rd")
        #expect(try Proxy("http://user@proxy:3128").credentials?.password == "")
    }

    @Test func `Credentials are encoded in UTF-8 as in the example of RFC 7617`() throws {
        #expect(try Proxy("http://test:123%C2%A3@proxy:3128").credentials?.basic == "Basic dGVzdDoxMjPCow==")
    }

    @Test func `Descriptions and dumps show neither user nor password`() throws {
        let proxy = try Proxy("http://canaryuser:canarypass@proxy:3128")
        var dumped = ""
        dump(proxy, to: &dumped)
        dump(proxy.credentials, to: &dumped)
        dump(ProxyPolicy.proxy(proxy), to: &dumped)
        var configuration = TransportConfiguration()
        configuration.proxy = .proxy(proxy)
        dump(configuration, to: &dumped)
        let shown = "\(proxy) \(String(reflecting: proxy)) \(configuration) \(ProxyPolicy.proxy(proxy)) \(dumped)"
        #expect(shown.contains("http://***@proxy:3128"))
        #expect(!shown.contains("canary"))
    }

    @Test(
        arguments: [
            ("http://proxy", "proxy has no port"), ("http://proxy:", "no port"), ("proxy:3128", "no scheme"),
            ("socks4://proxy:1080", "\"socks4\""), ("ftp://proxy:21", "\"ftp\""),
            ("http://proxy:3128/path", "path"), ("http://proxy:3128?a=b", "path"), ("http://proxy:3128//", "path"),
            ("http://proxy:0", "not a host with a port"), ("http://proxy:65536", "not a host"), ("", "no scheme"),
            ("http://:3128", "not a host"), ("http://pro xy:3128", "not a host"), ("http://proxy:31 28", "not a host"),
            ("http://::1:3128", "not a host"), ("http://a%41:3128", "not a host"), ("http://\u{212A}:80", "not a host"),
        ]
    )
    func `An invalid proxy URL is refused with the reason`(url: String, problem: String) {
        #expect(refusal(url).contains(problem), "\(refusal(url))")
    }

    @Test(
        arguments: [
            ("http://user:canary%0D%0Ax@proxy:3128", "control character"), ("http://u%00:canary@proxy:3128", "control"),
            ("http://user:canary\u{7}@proxy:3128", "control"), ("http://u:canary%C2%85@proxy:3128", "control"),
            ("http://user:canary%zz@proxy:3128", "percent-encoded"), ("http://u:canary%ff@proxy:3128", "UTF-8"),
            ("http://canary%3A:x@proxy:3128", "colon"), ("socks5://canary@proxy:1080", "RFC 1929"),
            ("socks5h://:canary@proxy:1080", "RFC 1929"),
        ]
    )
    func `Credentials that cannot be sent are refused and not shown`(url: String, problem: String) {
        #expect(refusal(url).contains("the proxy proxy:"))
        #expect(refusal(url).contains(problem), "\(refusal(url))")
        #expect(!refusal(url).contains("canary"))
    }

    @Test func `SOCKS 5 accepts users and passwords of up to 255 bytes`() throws {
        let longest = String(repeating: "x", count: 255)
        _ = try Proxy("socks5://\(longest):\(longest)@proxy:1080")
        #expect(refusal("socks5://\(longest)x:p@proxy:1080").contains("RFC 1929"))
        #expect(refusal("socks5h://u:\(longest)x@proxy:1080").contains("RFC 1929"))
        _ = try Proxy("http://u:\(longest)x@proxy:1080")
    }

    @Test(
        arguments: [
            "http://user:can/ary@proxy:3128", "http://user:can?ary@proxy", "user:canary@proxy:3128",
            "http://user:canary", "http://user:canary@pro xy:3128", "user:canary@proxy://",
            "http://user:#canary@proxy:1",
            "canary@://", "http://proxy:3128/canary", "https://user:canary@proxy",
        ]
    )
    func `The error for an invalid proxy URL does not show the password`(url: String) {
        let text = refusal(url)
        #expect(!text.contains("accepted") && !text.contains("canary") && !text.contains("ary@"), "\(text)")
    }
}
