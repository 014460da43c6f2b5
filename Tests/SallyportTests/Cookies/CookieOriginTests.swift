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

    @Test func `A call fails if a wire interceptor changes the host of a request with cookies`() async {
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

    @Test func `An app interceptor can change the host, and the original host's cookies are not sent`() async throws {
        let client = HttpClient.createClient { config in
            config.transport = server
            config.cookieJar = jar
            config.addInterceptor(Elsewhere())
        }
        _ = try await client.request { $0.url = "https://api.example.com/" }
        #expect(server.requests.map { $0.header("Cookie") } == [nil])
    }

    @Test func `Set-Cookie strings given to a request are sent without their attributes`() throws {
        var request = HttpRequest(url: "https://a.example/")
        request.setCookies(cookies: ["sid=1; Path=/; HttpOnly; Secure; SameSite=Lax", "b=2"])
        _ = try request.head()
        #expect(request.getHeader(name: "Cookie") == "sid=1; b=2")
    }
}
