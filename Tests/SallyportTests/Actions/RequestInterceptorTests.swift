import ClientTestSupport
import Foundation
import Sallyport
import SallyportTesting
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct RequestInterceptorTests {
    private struct Refusal: Error {}

    @Test func `A request interceptor can change parameters, headers, cookies, URL, method and body`() async throws {
        let (client, server) = makeClient()
        client.requestInterceptors.register(
            Intercepting { request, _ in
                request.url = "https://other.example.com/tokens?kept=1"
                request.removeParameter(name: "old")
                request.setParameter(name: "new", value: "2")
                request.setHeader(name: "X-New", value: "yes")
                request.removeHeader(name: "X-Old")
                request.setCookie(cookie: "member=gold")
                request.put(contentType: "text/plain", body: "changed")
            }
        )
        _ = try await client.request(
            request: startAuthenticate { request in
                request.post(contentType: "text/plain", body: "original")
                request.setParameter(name: "old", value: "1")
                request.setHeader(name: "X-Old", value: "1")
            }
        )
        let sent = try #require(server.requests.first)
        #expect(sent.method == .put)
        #expect(sent.url == "https://other.example.com/tokens?kept=1&new=2")
        #expect(sent.text == "changed")
        #expect(sent.header("X-New") == "yes")
        #expect(sent.header("X-Old") == nil)
        #expect(sent.header("Cookie") == "member=gold")
    }

    @Test func `A request interceptor can change the timeout of the request`() async throws {
        let (client, server) = makeClient { config in
            config.timeout = 30
            config.requestInterceptors.register(Intercepting { request, _ in request.timeout = 3 })
        }
        _ = try await client.request(request: startAuthenticate())
        #expect(server.requests.map { $0.timeouts.total?.roundedUp } == [3])
    }

    @Test func `A request interceptor receives the action of the request`() async throws {
        let journal = Journal()
        let (client, _) = makeClient()
        client.requestInterceptors.register(
            Intercepting { _, action in
                journal.add("\(action.type) \(action.payload?["tree"]?.string ?? "none")")
            }
        )
        _ = try await client.request(request: startAuthenticate())
        _ = try await client.request(request: makeRequest { $0.action = Action("REFRESH_TOKEN") })
        #expect(journal.entries == ["START_AUTHENTICATE Login", "REFRESH_TOKEN none"])
    }

    @Test func `Request interceptors and middleware do not run for requests without an action`() async throws {
        let journal = Journal()
        let (client, server) = makeClient { config in
            config.addMiddleware { _, _, _ in journal.add("middleware") }
        }
        client.requestInterceptors.register(Intercepting { _, _ in journal.add("interceptor") })
        _ = try await client.request(request: makeRequest())
        #expect(journal.entries.isEmpty)
        #expect(server.requests.count == 1)
    }

    @Test func `Request interceptors run once, after the app's, and requests with an action follow no redirects`()
        async throws
    {
        let journal = Journal()
        let server = MockTransport()
        server.on(nil, "/authenticate", .redirect(to: "/next"))
        server.on(nil, "/next", .status(200))
        let (client, _) = makeClient(server) { config in
            config.redirects = .follow(limit: 2)
            config.onRequest { _ in journal.add("app") }
            config.requestInterceptors.register(Intercepting { _, _ in journal.add("interceptor") })
            config.addMiddleware { request, _, next in
                journal.add("middleware")
                try await next(&request)
            }
        }
        let response = try await client.request(request: startAuthenticate())
        #expect(journal.entries == ["app", "interceptor", "middleware"])
        #expect(response.status == .found)
        #expect(server.requests.count == 1)
    }

    @Test func `An error thrown by a request interceptor fails the call and names the interceptor and the request`()
        async
    {
        let (client, server) = makeClient()
        client.requestInterceptors.register(Intercepting { _, _ in throw Refusal() })
        await #expect {
            try await client.request(request: startAuthenticate())
        } throws: { error in
            guard case NetworkError.networkError(let failure) = error else { return false }
            return failure.underlying is Refusal
                && failure.reason.contains("the request interceptor Intercepting failed")
                && failure.request == "GET https://am.example.com/authenticate"
        }
        #expect(server.requests.isEmpty)
    }

    @Test func `A network error thrown by a request interceptor keeps its case`() async {
        let (client, _) = makeClient()
        client.requestInterceptors.register(Intercepting { _, _ in throw NetworkError.networkUnavailable("offline") })
        await #expect {
            try await client.request(request: startAuthenticate())
        } throws: { error in
            guard case NetworkError.networkUnavailable = error else { return false }
            return true
        }
    }

    @Test func `An invalid header set by a request interceptor fails the call before anything is sent`() async {
        let (client, server) = makeClient()
        client.requestInterceptors.register(
            Intercepting { request, _ in request.setHeader(name: "X-Bad", value: "a\r\nb") }
        )
        await #expect {
            try await client.request(request: startAuthenticate())
        } throws: { error in
            guard case NetworkError.invalidRequest = error else { return false }
            return true
        }
        #expect(server.requests.isEmpty)
    }

    @Test func `A new request returned by an interceptor keeps timeouts, action and credentials mark`() async throws {
        struct Anew: RequestInterceptor {
            func intercept(request: HttpRequest, action: Action) -> HttpRequest { HttpRequest(url: request.url) }
        }
        let journal = Journal()
        let (client, server) = makeClient { config in config.timeout = 7 }
        client.requestInterceptors.register(Anew(), Intercepting { _, action in journal.add("\(action.type)") })
        let response = try await client.request(request: startAuthenticate { $0.carriesOwnCredentials = true })
        #expect(server.requests.first?.timeouts.total?.roundedUp == 7)
        #expect(response.request.action?.type == "START_AUTHENTICATE")
        #expect(response.request.carriesOwnCredentials)
        #expect(journal.entries == ["START_AUTHENTICATE"])
    }

    @Test func `A new request returned by an interceptor still requires a secure transport`() async {
        struct Anew: RequestInterceptor {
            func intercept(request: HttpRequest, action: Action) -> HttpRequest { HttpRequest(url: request.url) }
        }
        // A documentation address (RFC 5737): a call that is not refused would wait for a connection.
        let client = HttpClient.createClient { config in
            config.timeout = 5
            config.allowsPlainHTTP = true
        }
        defer { client.close() }
        client.requestInterceptors.register(Anew())
        let request = startAuthenticate("http://192.0.2.1/authenticate") { $0.requiresSecureTransport = true }
        await expectError(\NetworkError.kind, "invalidRequest") {
            try await client.request(request: request) as HttpResponse
        }
    }

    @Test func `A new request from middleware or an adapter still requires a secure transport`() async throws {
        struct Anew: RequestAdapter {
            func adapt(_ request: HttpRequest) -> HttpRequest { HttpRequest(url: request.url) }
        }
        let (client, _) = makeClient { config in
            config.adapter = Anew()
            config.addMiddleware { request, _, next in
                request = HttpRequest(url: request.url)
                try await next(&request)
            }
        }
        let response: HttpResponse = try await client.request(
            request: startAuthenticate { $0.requiresSecureTransport = true }
        )
        #expect(response.request.requiresSecureTransport)
        #expect(response.request.action?.type == "START_AUTHENTICATE")
    }

    @Test func `A copy of a secret attached for one origin is not sent to another`() async {
        struct Copying: RequestInterceptor {
            func intercept(request: HttpRequest, action: Action) -> HttpRequest {
                var copy = HttpRequest(url: "https://other.example/")
                copy.setHeader(name: "X-API-Key", value: request.getHeader(name: "X-API-Key") ?? "")
                return copy
            }
        }
        let (client, server) = makeClient { config in
            config.onRequest { request in try request.attach(header: "X-API-Key", value: "k-1") }
        }
        client.requestInterceptors.register(Copying())
        await expectError(\NetworkError.kind, "invalidRequest") {
            try await client.request(request: startAuthenticate()) as HttpResponse
        }
        #expect(server.requests.isEmpty)
    }

    @Test func `Cookies set by an interceptor are merged with the jar's and replace those of the same name`()
        async throws
    {
        let jar = CookieJar()
        jar.store(Cookie(name: "id", value: "1", domain: "am.example.com"))
        jar.store(Cookie(name: "member", value: "none", domain: "am.example.com"))
        let (client, server) = makeClient { $0.cookieJar = jar }
        client.requestInterceptors.register(
            Intercepting { request, _ in request.setHeader(name: "Cookie", value: "member=gold; level=2") }
        )
        _ = try await client.request(request: startAuthenticate())
        #expect(server.requests.first?.header("Cookie") == "member=gold; level=2; id=1")
    }

    @Test func `Cookies and credentials of the original host are not sent to a host chosen by an interceptor`()
        async throws
    {
        let jar = CookieJar()
        jar.store(Cookie(name: "id", value: "1", domain: "am.example.com"))
        let (client, server) = makeClient { config in
            config.cookieJar = jar
            config.authentication = [.basic(user: "ada", password: "s3cret", for: "https://am.example.com")]
            config.requestInterceptors.register(
                Intercepting { request, action in
                    #expect(request.getHeader(name: "Cookie") == nil)
                    #expect(request.getHeader(name: "Authorization") == nil)
                    if action.type == "START_AUTHENTICATE" { request.url = "https://am.example.com.evil.example/" }
                }
            )
        }
        _ = try await client.request(request: startAuthenticate())
        _ = try await client.request(
            request: makeRequest("https://am.example.com/") { $0.action = Action("AUTHENTICATE") }
        )
        #expect(server.requests.map { $0.header("Cookie") } == [nil, "id=1"])
        #expect(server.requests.map { $0.header("Authorization") == nil } == [true, false])
    }

    @Test func `Cancelling the task in an interceptor prevents the request from being sent`() async {
        let (client, server) = makeClient()
        client.requestInterceptors.register(Intercepting { _, _ in withUnsafeCurrentTask { $0?.cancel() } })
        let call = Task { try await client.request(request: startAuthenticate()) }
        await #expect {
            try await call.value
        } throws: { error in
            guard case NetworkError.cancelled = error else { return false }
            return true
        }
        #expect(server.requests.isEmpty)
    }

    @Test func `Request interceptors also run for streamed calls`() async throws {
        let (client, server) = makeClient()
        client.requestInterceptors.register(Intercepting { request, _ in request.setHeader(name: "X-New", value: "1") })
        try await client.stream(request: startAuthenticate()) { _ in }
        #expect(server.requests.first?.header("X-New") == "1")
    }
}
