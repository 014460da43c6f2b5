import ClientTestSupport
import Sallyport
import SallyportTesting
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct CookieInterceptorTests {
    @Test func `Cookies come back to where they belong`() async throws {
        let (client, server) = makeClient(MockResponse(headers: [.setCookie: "id=1; Path=/a"]))
        for path in ["/a", "/a/b", "/c"] {
            _ = try await client.request(request: makeRequest("https://api.example.com\(path)"))
        }
        _ = try await client.request(request: makeRequest("https://other.example.com/a"))
        #expect(server.requests.map { $0.header("Cookie") } == [nil, "id=1", nil, nil])
    }

    @Test func `A cookie that the app sets on a request wins over the jar's of that name`() async throws {
        let jar = CookieJar()
        jar.store(Cookie(name: "a", value: "jar", domain: "api.example.com"))
        jar.store(Cookie(name: "b", value: "jar", domain: "api.example.com"))
        let (client, server) = makeClient { $0.cookieJar = jar }
        let response = try await client.request(request: makeRequest { $0.setCookie(cookie: "a=app") })
        #expect(server.requests.first?.header("Cookie") == "a=app; b=jar")
        #expect(response.request.getHeader(name: "Cookie") == "a=app; b=jar")
    }

    @Test func `Cookies are attached after the app's interceptors, so none goes to a host that they chose`()
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

    @Test func `Without a jar no cookie is kept`() async throws {
        let (client, server) = makeClient(MockResponse(headers: [.setCookie: "id=1"])) { $0.cookieJar = nil }
        _ = try await client.request(request: makeRequest())
        _ = try await client.request(request: makeRequest())
        #expect(server.requests.last?.header("Cookie") == nil)
    }

    @Test func `Secure cookies stay off plain http`() async throws {
        let (client, server) = makeClient(MockResponse(headers: [.setCookie: "id=1; Secure"]))
        _ = try await client.request(request: makeRequest("https://api.example.com/"))
        _ = try await client.request(request: makeRequest("http://api.example.com/"))
        #expect(server.requests.last?.header("Cookie") == nil)
    }
}
