import Foundation
import SallyportTesting
import TestSupport
import Testing

@testable import Sallyport

@Suite(.concurrencyLimited) struct CookieOriginTests {
    private struct Elsewhere: Interceptor {
        func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
            var request = request
            request.url = "https://elsewhere.example.net/"
            return try await next(request)
        }
    }

    private let jar = CookieJar()
    private let server = MockTransport { _ in .text("ok") }

    init() {
        jar.store(Cookie(name: "sid", value: "secret", domain: "api.example.com"))
    }

    @Test func `Cookies do not go to a host that a wire interceptor chose`() async {
        let client = HttpClient.createClient { config in
            config.transport = server
            config.cookieJar = jar
            config.addWireInterceptor(Elsewhere())
        }
        await expectError(\NetworkError.kind, "invalidRequest") {
            try await client.request { $0.url = "https://api.example.com/" }
        }
        #expect(server.requests.isEmpty)
    }

    @Test func `An interceptor before the cookies may change the host, and its cookies stay behind`() async throws {
        let client = HttpClient.createClient { config in
            config.transport = server
            config.cookieJar = jar
            config.addInterceptor(Elsewhere())
        }
        _ = try await client.request { $0.url = "https://api.example.com/" }
        #expect(server.requests.map { $0.header("Cookie") } == [nil])
    }

    @Test func `Set-Cookie strings can be sent back as they came`() throws {
        var request = HttpRequest(url: "https://a.example/")
        request.setCookies(cookies: ["sid=1; Path=/; HttpOnly; Secure; SameSite=Lax", "b=2"])
        _ = try request.head()
        #expect(request.getHeader(name: "Cookie") == "sid=1; b=2")
    }
}
