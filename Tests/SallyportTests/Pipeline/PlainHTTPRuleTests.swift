import ClientTestSupport
import Logging
import Sallyport
import SallyportStorage
import SallyportTesting
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct PlainHTTPRuleTests {
    private func send(_ url: String, with client: HttpClient) async throws {
        let _: HttpResponse = try await client.request(request: makeRequest(url))
    }

    @Test(
        arguments: ["https://api.example.com/", "http://127.0.0.1:1/", "http://[::1]:1/", "http://a.localhost/"],
        [true, false]
    )
    func `Requests over TLS and to loopback addresses are sent`(url: String, allows: Bool) async throws {
        let (client, server) = makeClient { $0.allowsPlainHTTP = allows }
        try await send(url, with: client)
        #expect(server.requests.count == 1)
    }

    @Test func `Plain HTTP to another computer is sent if the client allows it, and not logged`() async throws {
        let journal = Journal()
        let (client, server) = makeClient { config in
            config.allowsPlainHTTP = true
            config.logger = CapturingLog.logger(journal, level: .warning)
        }
        try await send("http://api.example.com/", with: client)
        #expect(server.requests.count == 1)
        #expect(journal.entries.isEmpty)
    }

    @Test(arguments: ["http://api.example.com/a", "HTTP://192.0.2.1:8080/", "http://localhost.example.com/"])
    func `Plain HTTP to another computer is refused by default, before anything is sent`(url: String) async {
        let (client, server) = makeClient()
        let error = await expectError(\NetworkError.kind, "invalidRequest") { try await send(url, with: client) }
        let failure = error?.failure
        #expect(failure?.reason.hasPrefix("the client does not allow plain HTTP, except to loopback addresses") == true)
        #expect(failure?.advice == "use https, or set HttpClientConfiguration.allowsPlainHTTP to true")
        #expect(server.requests.isEmpty)
    }

    @Test func `A request over plain HTTP through a Unix domain socket is not refused`() async {
        let client = HttpClient.createClient { config in
            config.transportConfiguration.unixSocketPath = "/nonexistent/socket"
        }
        defer { client.close() }
        await expectError(\NetworkError.kind, "connectionFailed") {
            try await send("http://api.example.com/", with: client)
        }
    }

    @Test func `A wire interceptor cannot change a request to plain HTTP that is not allowed`() async {
        struct Downgrading: Interceptor {
            func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
                var request = request
                request.url = "http://api.example.com/"
                return try await next(request)
            }
        }
        let (client, server) = makeClient { config in
            config.addWireInterceptor(Downgrading())
        }
        await expectError(\NetworkError.kind, "invalidRequest") {
            try await send("https://api.example.com/", with: client)
        }
        #expect(server.requests.isEmpty)
    }

    @Test func `A redirect from a loopback address to plain HTTP elsewhere is refused`() async throws {
        let answer = "HTTP/1.1 302 Found\r\nLocation: http://192.0.2.1/\r\nContent-Length: 0\r\n\r\n"
        try await withScriptedServer([[.receiveHead, .send(answer)]]) { server in
            let client = HttpClient.createClient { config in
                config.redirects = .follow(limit: 1)
                config.timeout = 5
            }
            defer { client.close() }
            await expectError(\NetworkError.kind, "invalidRequest") {
                try await send("http://\(server.authority)/", with: client)
            }
            #expect(server.requests.count == 1)
        }
    }

    @Test func `Plain HTTP to a loopback address through a proxy is refused`() async throws {
        try await withScriptedServer([[.stall]]) { proxy in
            let client = try HttpClient.createClient { config in
                config.proxy = .proxy(try Proxy("http://\(proxy.authority)"))
                config.timeout = 5
            }
            defer { client.close() }
            await expectError(\NetworkError.kind, "invalidRequest") {
                try await send("http://localhost:1/", with: client)
            }
            #expect(proxy.acceptedConnections == 0)
        }
    }

    @Test func `A Secure cookie of a loopback host is not sent through a proxy, even if plain HTTP is allowed`()
        async throws
    {
        try await withScriptedServer([[.stall]]) { proxy in
            let jar = CookieJar()
            jar.store(Cookie(name: "sid", value: "1", domain: "localhost", isSecure: true))
            let client = try HttpClient.createClient { config in
                config.allowsPlainHTTP = true
                config.cookieJar = jar
                config.proxy = .proxy(try Proxy("http://\(proxy.authority)"))
                config.timeout = 5
            }
            defer { client.close() }
            await expectError(\NetworkError.kind, "invalidRequest") {
                try await send("http://localhost:1/", with: client)
            }
            #expect(proxy.acceptedConnections == 0)
        }
    }
}
