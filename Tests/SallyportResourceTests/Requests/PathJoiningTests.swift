import ClientTestSupport
import Foundation
import Sallyport
import SallyportResource
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct PathJoiningTests {
    /// A path of a request, and the target that the server receives.
    private struct Case {
        let path: String
        let target: String
        let base: String

        init(_ path: String, _ target: String, base: String = "/echo/") {
            self.path = path
            self.target = target
            self.base = base
        }
    }

    /// `ORIGIN`, `HOST` and `PORT` stand for those of the gateway.
    private static let cases = [
        Case("users", "/echo/users"),
        Case("/users", "/echo/users"),
        Case("users", "/echo/users", base: "/echo"),
        Case("/users", "/echo/users", base: "/echo"),
        Case("users", "/echo/users", base: "/echo///"),
        Case("users", "/echo/v1/users", base: "/echo/v1"),
        Case("", "/echo/"),
        Case("/", "/echo/"),
        Case("users/", "/echo/users/"),
        Case("/api/users/", "/echo/api/users/"),
        Case("a//b", "/echo/a//b"),
        Case("./", "/echo/"),
        Case("./a", "/echo/a"),
        Case("/./a", "/echo/a"),
        Case("a/./b", "/echo/a/b"),
        Case("a/.", "/echo/a/"),
        Case("a/../b", "/echo/b"),
        Case("a/b/..", "/echo/a/"),
        Case("a/b/../..", "/echo/"),
        Case("a/%2e%2e/b", "/echo/b"),
        Case("a/%2E/b", "/echo/a/b"),
        Case("...", "/echo/..."),
        Case("a..b", "/echo/a..b"),
        Case("?page=2", "/echo/?page=2"),
        Case("/?page=2", "/echo/?page=2"),
        Case("users?page=2", "/echo/users?page=2"),
        Case("users/?page=2", "/echo/users/?page=2"),
        Case("/users?page=2&sort=name", "/echo/users?page=2&sort=name"),
        Case("users?next=/a/../b", "/echo/users?next=/a/../b"),
        Case("users?url=https://other.example/x", "/echo/users?url=https://other.example/x"),
        Case("users#part", "/echo/users"),
        Case("users?a=1#part", "/echo/users?a=1"),
        Case("users?", "/echo/users?"),
        Case("users?page=&sort", "/echo/users?page=&sort"),
        Case("users?q=a%20b%2F%C3%A9", "/echo/users?q=a%20b%2F%C3%A9"),
        Case("users?q=a b", "/echo/users?q=a%20b"),
        Case("users?q=é", "/echo/users?q=%C3%A9"),
        Case("a b", "/echo/a%20b"),
        Case("é", "/echo/%C3%A9"),
        Case("%C3%A9", "/echo/%C3%A9"),
        Case("日本", "/echo/%E6%97%A5%E6%9C%AC"),
        Case("😀", "/echo/%F0%9F%98%80"),
        Case("a%20b", "/echo/a%20b"),
        Case("a%2Fb", "/echo/a%2Fb"),
        Case("100%", "/echo/100%25"),
        Case("a+b", "/echo/a+b"),
        Case("a;v=1/b", "/echo/a;v=1/b"),
        Case("/a:b", "/echo/a:b"),
        Case("a/b:c", "/echo/a/b:c"),
        Case("a\\b", "/echo/a%5Cb"),
        Case("a\"b", "/echo/a%22b"),
        Case("[1]", "/echo/%5B1%5D"),
        Case("~user/(x)!*',", "/echo/~user/(x)!*',"),
        Case("ORIGIN/echo/other", "/echo/other"),
        Case("ORIGIN/echo/other", "/echo/other", base: "/echo/v1/"),
        Case("HTTPS://HOST:PORT/echo/x", "/echo/x"),
        Case("ORIGIN/echo?x=1", "/echo?x=1"),
        Case("ORIGIN/echo/a#part", "/echo/a"),
        Case("https://localhost:PORT/echo/extra?y=é", "/echo/extra?y=%C3%A9"),
    ]

    /// Paths that are refused before anything is sent.
    private static let refusedPaths = [
        "..", "../x", "a/../../b", "%2e%2e/x", "/..", "a/%2e%2e%2f%2e%2e/x", "..;/x", "a\\..\\..\\b",
        "//HOST:PORT/echo", "///echo", "http://HOST:PORT/echo", "https://other.example/", "https://HOST:1/echo",
        "https://HOST.evil.example:PORT/", "https://HOST@other.example/", "https://name:secret@HOST:PORT/echo",
        "https://", "ftp://HOST/echo", "javascript:alert(1)", "a:b", "a\u{0}b", "a\r\nb",
    ]

    @Test func `The server receives each path below the base URL, or at an absolute URL`() async throws {
        try await EchoGateway.withRunning { gateway in
            for item in Self.cases {
                let path = Self.path(item.path, gateway.address.host, gateway.address.port)
                let client = try gateway.client(item.base).deviceClient
                let response = try await client.sendUnauthenticatedRequest(ResourceRequest(path: path, method: .get))
                let echo = try JSONDecoder().decode(EchoedRequest.self, from: #require(response.data))
                #expect(echo.target == item.target, "\(item)")
            }
        }
    }

    @Test func `A path that leaves the base URL, or a URL of another server, is refused and nothing is sent`()
        async throws
    {
        let server = try ResourceServer()
        let client = try server.client { model in model.resourceBaseURL = "https://api.example.com:8443/echo/" }
        await Self.expectRefusals(by: client, "api.example.com", 8443)
        #expect(server.transport.requests.isEmpty)

        try await EchoGateway.withRunning { gateway in
            try await Self.expectRefusals(by: gateway.client("/echo/"), gateway.address.host, gateway.address.port)
            #expect(gateway.requests.isEmpty)
        }
    }

    private static func expectRefusals(by client: ResourceClient, _ host: String, _ port: Int) async {
        for refused in refusedPaths {
            let request = ResourceRequest(path: path(refused, host, port), method: .get)
            let error = await expectError(\ResourceError.reason, .invalidRequest) {
                try await client.deviceClient.sendUnauthenticatedRequest(request)
            }
            #expect(error?.errorCode == 10015, "\(refused)")
        }
    }

    @Test func `The error for a refused URL contains neither its query nor a password`() async throws {
        let client = try ResourceServer().client()
        for path in ["https://name:secret@api.example.com/", "https://other.example/?key=secret", "../x?key=secret"] {
            let error = await expectError(\ResourceError.reason, .invalidRequest) {
                try await client.deviceClient.sendUnauthenticatedRequest(ResourceRequest(path: path, method: .get))
            }
            #expect(error?.description.contains("secret") == false)
        }
    }

    private static func path(_ text: String, _ host: String, _ port: Int) -> String {
        text.replacing("ORIGIN", with: "https://\(host):\(port)")
            .replacing("HOST", with: host)
            .replacing("PORT", with: "\(port)")
    }
}
