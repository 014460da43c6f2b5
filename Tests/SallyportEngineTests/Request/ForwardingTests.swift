import HTTPTypes
import NIOCore
import SallyportTransport
import TestSupport
import Testing

@testable import SallyportEngine

@Suite(.concurrencyLimited) struct ForwardingTests {
    private func outgoing(
        _ method: HTTPRequest.Method = .get,
        _ scheme: String = "http",
        _ authority: String = "Example.com:8080",
        _ path: String = "/a?b",
        fields: HTTPFields = [:],
        proxy: String? = "http://test:123%C2%A3@proxy:3128"
    ) throws -> OutgoingRequest {
        let head = HTTPRequest(method: method, scheme: scheme, authority: authority, path: path, headerFields: fields)
        return try OutgoingRequest(
            TransportRequest(head: head),
            acceptEncoding: nil,
            proxies: ProxyRules(try proxy.map { .proxy(try Proxy($0)) } ?? .direct)
        )
    }

    @Test
    func `An HTTP proxy receives the absolute URL and its credentials`() throws {
        let request = try outgoing()
        #expect(request.target == "http://Example.com:8080/a?b")
        #expect(request.values(of: "Host") == ["Example.com:8080"])
        #expect(request.values(of: "Proxy-Authorization") == ["Basic dGVzdDoxMjPCow=="])
        #expect(try outgoing(proxy: "http://proxy:3128").values(of: "Proxy-Authorization") == [])
        #expect(try outgoing(.get, "http", "[::1]").target == "http://[::1]/a?b")
    }

    @Test
    func `An OPTIONS * request is forwarded as a URL without a path`() throws {
        #expect(try outgoing(.options, "http", "example.com", "*").target == "http://example.com")
    }

    @Test(arguments: [
        ("http", nil), ("https", nil), ("https", "http://u:p@proxy:1"), ("http", "socks5://u:p@proxy:1"),
        ("https", "socks5h://u:p@proxy:1"),
    ]
    )
    func `Requests are unchanged without a proxy and in tunnels`(scheme: String, proxy: String?) throws {
        let request = try outgoing(.get, scheme, proxy: proxy)
        #expect(request.target == "/a?b")
        #expect(request.values(of: "Proxy-Authorization") == [])
        expectError(\NetworkError.kind, "invalidRequest") {
            try outgoing(.get, scheme, fields: [.proxyAuthorization: "Basic eDp5"], proxy: proxy)
        }
    }

    @Test
    func `A Proxy-Authorization field set by the app replaces the proxy URL's credentials`() throws {
        let request = try outgoing(fields: [.proxyAuthorization: "Bearer mine"])
        #expect(request.values(of: "Proxy-Authorization") == ["Bearer mine"])
    }

    @Test
    func `A Host field of another server is refused for proxied requests`() throws {
        let name = try #require(HTTPField.Name("Host"))
        expectError(\NetworkError.kind, "invalidRequest") { try outgoing(fields: [name: "other.example.com"]) }
        expectError(\NetworkError.kind, "invalidRequest") { try outgoing(fields: [name: "example.com"]) }
        #expect(try outgoing(fields: [name: "example.COM:8080"]).values(of: "Host") == ["example.COM:8080"])
        #expect(try outgoing(fields: [name: "other"], proxy: nil).values(of: "Host") == ["other"])
    }
}

extension OutgoingRequest {
    private var lines: [Substring] { String(buffer: http1Head()).split(separator: "\r\n") }

    fileprivate var target: String { String(lines[0].split(separator: " ")[1]) }

    fileprivate func values(of name: String) -> [String] {
        lines.dropFirst().filter { $0.hasPrefix("\(name): ") }.map { String($0.dropFirst(name.count + 2)) }
    }
}
