import HTTPTypes
import SallyportTransport
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct ProxyRulesTests {
    private func origin(_ url: String) throws -> Origin {
        let parts = url.split(separator: "/", omittingEmptySubsequences: true)
        let scheme = String(parts[0].dropLast())
        return try Origin(of: HTTPRequest(method: .get, scheme: scheme, authority: String(parts[1]), path: "/"))
    }

    private func proxy(for url: String, _ environment: [String: String]) throws -> String {
        let rules = ProxyRules(.environment) { environment[$0] }
        return try rules.proxy(for: origin(url))?.description ?? "direct"
    }

    @Test func `No proxy is used by default`() throws {
        #expect(try ProxyRules(.direct).proxy(for: origin("http://a")) == nil)
        #expect(try proxy(for: "http://a", [:]) == "direct")
        #expect(TransportConfiguration().proxy == .direct)
    }

    @Test func `A proxy is used for all hosts except its exceptions`() throws {
        let rules = ProxyRules(.proxy(try Proxy("http://p:1"), except: ["localhost", ".example.com", "10.0.0.0/8"]))
        for url in ["http://a", "https://b", "http://1.2.3.4"] {
            #expect(try rules.proxy(for: origin(url))?.host == "p")
        }
        for url in ["http://localhost", "https://www.example.com", "http://10.1.2.3:8080"] {
            #expect(try rules.proxy(for: origin(url)) == nil)
        }
    }

    @Test func `The environment is ignored unless the policy is .environment`() throws {
        let rules = ProxyRules(.direct) { ["http_proxy": "http://p:1"][$0] }
        #expect(try rules.proxy(for: origin("http://a")) == nil)
    }

    @Test(
        arguments: [
            (["http_proxy": "http://p:1"], "http://a", "http://p:1"),
            (["http_proxy": "http://p:1"], "https://a", "direct"),
            (["HTTP_PROXY": "http://p:1"], "http://a", "direct"),
            (["https_proxy": "http://p:1"], "https://a", "http://p:1"),
            (["HTTPS_PROXY": "http://p:1"], "https://a", "http://p:1"),
            (["https_proxy": "http://p:1", "HTTPS_PROXY": "http://q:2"], "https://a", "http://p:1"),
            (["https_proxy": "", "HTTPS_PROXY": "http://q:2"], "https://a", "http://q:2"),
            (["https_proxy": "http://p:1"], "http://a", "direct"),
            (["all_proxy": "socks5://p:1"], "http://a", "socks5://p:1"),
            (["ALL_PROXY": "socks5h://p:1"], "https://a", "socks5h://p:1"),
            (["ALL_PROXY": "http://p:1", "all_proxy": "http://q:2"], "https://a", "http://q:2"),
            (["ALL_PROXY": "http://p:1", "http_proxy": "http://q:2"], "http://a", "http://q:2"),
            (["ALL_PROXY": "http://p:1", "http_proxy": "http://q:2"], "https://a", "http://p:1"),
            (["http_proxy": "p:1"], "http://a", "http://p:1"),
            (["https_proxy": "https://u:p@p:1"], "https://a", "https://***@p:1"),
            (["http_proxy": "u:p@p:1/"], "http://a", "http://***@p:1"),
            (["http_proxy": "http://p:1", "no_proxy": "a"], "http://a", "direct"),
            (["http_proxy": "http://p:1", "NO_PROXY": "a"], "http://a", "direct"),
            (["http_proxy": "http://p:1", "NO_PROXY": "a", "no_proxy": "b"], "http://a", "http://p:1"),
            (["http_proxy": "http://p:1", "NO_PROXY": "a", "no_proxy": ""], "http://a", "direct"),
        ]
    )
    func `The environment variables are interpreted as curl does`(
        environment: [String: String],
        url: String,
        expected: String
    ) throws {
        #expect(try proxy(for: url, environment) == expected)
    }

    @Test(
        arguments: [
            "http://user:canary@proxy", "https://user:canary@proxy", "user:canary@proxy", "http://:canary@:1",
            "http://u:canary%00@p:1",
        ]
    )
    func `The error for an invalid variable names it and does not contain the password`(value: String) throws {
        for variable in ["HTTPS_PROXY", "https_proxy", "ALL_PROXY"] {
            let error = #expect(throws: NetworkError.self) { try proxy(for: "https://a", [variable: value]) }
            guard case .invalidRequest(let failure) = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
            #expect(failure.reason.contains("the environment variable \(variable) cannot be used"))
            #expect(!failure.description.contains("canary"))
        }
    }

    @Test func `Exceptions can replace those of the environment`() throws {
        let environment = ["http_proxy": "http://p:1", "no_proxy": "a"]
        let rules = ProxyRules(.environmentExcept(["b"])) { environment[$0] }
        #expect(try rules.proxy(for: origin("http://a"))?.host == "p")
        #expect(try rules.proxy(for: origin("http://b")) == nil)
    }

    @Test func `An invalid variable fails only the calls that need it`() throws {
        let environment = ["https_proxy": "http://proxy", "http_proxy": "http://p:1", "no_proxy": "b"]
        #expect(try proxy(for: "http://a", environment) == "http://p:1")
        #expect(try proxy(for: "https://b", environment) == "direct")
        expectError(\NetworkError.kind, "invalidRequest") { try proxy(for: "https://a", environment) }
    }

    /// Compared with curl 7.88, which supports neither ports nor brackets and compares IPv6 addresses less precisely.
    @Test(
        arguments: [
            ("*", "a.example.com", true), ("*", "1.2.3.4", true), ("*, b", "a", false),
            ("*.example.com", "a.example.com", false),
            ("example.com", "example.com", true), ("example.com", "www.example.com", true),
            ("example.com", "nonexample.com", false), (".example.com", "example.com", true),
            (".example.com", "www.example.com", true), (".example.com", "nonexample.com", false),
            ("EXAMPLE.com", "www.example.COM", true), ("example.com.", "example.com", true),
            ("example.com", "example.com.", true), ("www.example.com", "example.com", false),
            ("a,b,example.com", "example.com", true), ("a b example.com", "example.com", true),
            (" a ,\texample.com , b", "example.com", true), (",,example.com,,", "example.com", true),
            ("ample.com", "example.com", false), (".", "example.com", false), ("com", "example.com", true),
            ("localhost", "localhost", true), ("localhost", "localhost.example.com", false),
            ("192.168.0.1", "192.168.0.1", true), ("192.168.0.1", "192.168.0.2", false),
            ("168.0.1", "192.168.0.1", false), (".0.1", "192.168.0.1", false),
            ("192.168.0.0/16", "192.168.255.1", true), ("192.168.0.0/16", "192.169.0.1", false),
            ("192.168.0.0/17", "192.168.127.1", true), ("192.168.0.0/17", "192.168.128.1", false),
            ("192.168.0.1/32", "192.168.0.1", true), ("192.168.0.1/32", "192.168.0.2", false),
            ("192.168.0.0/33", "192.168.0.0", false), ("192.168.0.0/0", "10.0.0.1", false),
            ("192.168.0.0/16", "192.168.example.com", false), ("10.0.0.0/8", "ten", false),
            ("::1", "[::1]", true), ("[::1]", "[::1]", true), ("0:0::1", "[::1]", true), ("::2", "[::1]", false),
            ("fe80::/10", "[febf::1]", true), ("fe80::/10", "[fec0::1]", false), ("fe80::/129", "[fe80::1]", false),
            ("[fe80::]/10", "[fe80::1]", true), ("::/1", "127.0.0.1", false), ("127.0.0.0/8", "[::1]", false),
            ("example.com:80", "example.com", true), ("example.com:8080", "example.com", false),
            ("example.com:8080", "www.example.com:8080", true), ("example.com:x", "example.com", false),
            ("[::1]:8080", "[::1]:8080", true), ("[::1]:8080", "[::1]", false), ("10.0.0.0/8", "10.0.0.1:81", true),
            ("10.0.0.1:81", "10.0.0.1:81", true), ("10.0.0.1:81", "10.0.0.1", false),
        ]
    )
    func `Hosts in no_proxy are called directly`(list: String, host: String, isDirect: Bool) throws {
        let environment = ["http_proxy": "http://p:1", "no_proxy": list]
        #expect(try proxy(for: "http://\(host)", environment) == (isDirect ? "direct" : "http://p:1"))
    }
}
