import ClientTestSupport
import Sallyport
import SallyportTesting
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct CookieInterceptorTests {
    @Test func `Cookies are sent only to matching hosts and paths`() async throws {
        let (client, server) = makeClient(MockResponse(headers: [.setCookie: "id=1; Path=/a"]))
        for path in ["/a", "/a/b", "/c"] {
            _ = try await client.request(request: makeRequest("https://api.example.com\(path)"))
        }
        _ = try await client.request(request: makeRequest("https://other.example.com/a"))
        #expect(server.requests.map { $0.header("Cookie") } == [nil, "id=1", nil, nil])
    }

    @Test func `A cookie set by the app on a request replaces the jar's cookie of that name`() async throws {
        let jar = CookieJar()
        jar.store(Cookie(name: "a", value: "jar", domain: "api.example.com"))
        jar.store(Cookie(name: "b", value: "jar", domain: "api.example.com"))
        let (client, server) = makeClient { $0.cookieJar = jar }
        let response = try await client.request(request: makeRequest { $0.setCookie(cookie: "a=app") })
        #expect(server.requests.first?.header("Cookie") == "a=app; b=jar")
        #expect(response.request.getHeader(name: "Cookie") == "a=app; b=jar")
    }

    @Test func `Cookies of the original host are not sent to a host chosen by an app interceptor`()
        async throws
    {
        let jar = CookieJar()
        jar.store(Cookie(name: "a", value: "1", domain: "api.example.com"))
        let (client, server) = makeClient { config in
            config.cookieJar = jar
            config.onRequest { request in
                #expect(request.getHeader(name: "Cookie") == nil)
                request.url = "https://evil.example.com/"
            }
        }
        _ = try await client.request(request: makeRequest())
        #expect(server.requests.first?.header("Cookie") == nil)
    }

    @Test func `Without a cookie jar no cookie is stored`() async throws {
        let (client, server) = makeClient(MockResponse(headers: [.setCookie: "id=1"])) { $0.cookieJar = nil }
        _ = try await client.request(request: makeRequest())
        _ = try await client.request(request: makeRequest())
        #expect(server.requests.last?.header("Cookie") == nil)
    }

    @Test func `Secure cookies are not sent over plain HTTP`() async throws {
        let (client, server) = makeClient(MockResponse(headers: [.setCookie: "id=1; Secure"])) { config in
            config.allowsPlainHTTP = true
        }
        _ = try await client.request(request: makeRequest("https://api.example.com/"))
        _ = try await client.request(request: makeRequest("http://api.example.com/"))
        #expect(server.requests.last?.header("Cookie") == nil)
    }
}
