import SallyportTesting
import TestSupport
import Testing

@testable import Sallyport

@Suite(.concurrencyLimited) struct AttachedAuthorizationTests {
    /// An authentication interceptor that uses public API only.
    private struct Badge: Interceptor {
        func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
            guard try request.origin() == "https://api.example.com" else { return try await next(request) }
            var request = request
            try request.attach(authorization: "Badge 7")
            return try await next(request)
        }
    }

    @Test(arguments: [
        ("https://API.example.com:443/a?b#c", "https://api.example.com"),
        ("http://a.example:81", "http://a.example:81"),
    ])
    func `The origin of a request is normalized`(_ url: String, _ origin: String) throws {
        #expect(try HttpRequest(url: url).origin() == origin)
    }

    @Test func `A request without a valid URL has no origin`() {
        expectError(\NetworkError.kind, "invalidRequest") { try HttpRequest().origin() }
        expectError(\NetworkError.kind, "invalidRequest") { try HttpRequest(url: "ftp://a.example").origin() }
    }

    @Test func `Credentials attached by a custom interceptor are not sent to another origin by a redirect`()
        async throws
    {
        let server = MockTransport()
        server.on(.get, "/a", .text("", status: 302).header(.location, "https://other.example/b"))
        server.on(.get, "/b", .text("b"))
        let client = HttpClient.createClient { config in
            config.transport = server
            config.redirects = .follow(limit: 3)
            config.authentication = [Badge()]
        }
        _ = try await client.request { request in request.url = "https://api.example.com/a" }
        #expect(server.requests.map { $0.header("Authorization") } == ["Badge 7", nil])
    }
}
