import SallyportTransport
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct HostPatternTests {
    @Test(
        arguments: [
            (
                "api.example.com", ["api.example.com", "API.Example.com.", "api.EXAMPLE.com"],
                ["example.com", "x.api.example.com"]
            ),
            ("API.Example.com.", ["api.example.com"], ["example.com"]),
            (
                "*.example.com", ["api.example.com", "x.EXAMPLE.com."],
                ["example.com", "a.b.example.com", ".example.com", "xexample.com"]
            ),
            (
                "**.example.com", ["example.com", "api.example.com", "a.b.example.com."],
                ["xexample.com", "example.com.evil.test"]
            ),
            ("127.0.0.1", ["127.0.0.1"], ["127.0.0.2"]),
            ("::1", ["::1", "[::1]", "0:0:0:0:0:0:0:1"], ["::2"]),
            ("[2001:DB8::1]", ["2001:db8::1", "2001:db8:0:0::1"], ["2001:db8::2"]),
        ] as [(String, [String], [String])]
    )
    func `A pattern matches exactly its hosts`(pattern: String, hosts: [String], others: [String]) throws {
        let pattern = try HostPattern(pattern)
        for host in hosts { #expect(pattern.matches(host), "\(host)") }
        for host in others { #expect(!pattern.matches(host), "\(host)") }
    }

    @Test(
        arguments: [
            "", ".", "*", "**", "*.", "**.", "*.*.example.com", "a*.example.com", "api.*.com", "***.example.com",
            "https://example.com", "example.com:443", "example.com:", "example.com/x", "a..b", ".example.com",
            "exämple.com",
            "user@example.com", "*.127.0.0.1", "**.::1", "a b.example.com", "example.com\n",
        ]
    )
    func `An invalid pattern is refused, and the error quotes it`(text: String) {
        #expect {
            try HostPattern(text)
        } throws: { error in
            guard case NetworkError.invalidRequest(let failure) = error else { return false }
            return failure.reason.contains("\"\(text)\"")
        }
    }

    @Test func `Patterns are normalized, so that equivalent ones are equal`() throws {
        #expect(try HostPattern("*.Example.COM.") == HostPattern("*.example.com"))
        #expect(try HostPattern("*.Example.COM.").description == "*.example.com")
        #expect(try HostPattern("*.example.com") != HostPattern("**.example.com"))
    }

    @Test func `The client certificate of the most specific matching pattern is used`() throws {
        var security = TransportSecurity()
        func identity(_ name: String) -> TransportSecurity.ClientIdentity {
            .init(
                certificateFile: .init(fileURLWithPath: "/\(name).pem"),
                keyFile: .init(fileURLWithPath: "/\(name).key")
            )
        }
        security.clientIdentity = identity("any")
        for pattern in ["**.com", "**.example.com", "*.example.com", "api.example.com"] {
            security.clientIdentities[try HostPattern(pattern)] = identity(pattern)
        }
        for (host, name) in [
            ("api.example.com", "api.example.com"), ("www.example.com", "*.example.com"),
            ("a.b.example.com", "**.example.com"),
            ("example.com", "**.example.com"), ("other.com", "**.com"), ("example.org", "any"),
        ] {
            #expect(security.clientIdentity(for: host) == identity(name), "\(host)")
        }
    }
}
