import ClientTestSupport
import Foundation
import Sallyport
import SallyportStorage
import SallyportTesting
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct RedirectTests {
    private let server = MockTransport()

    private func follow(_ request: HttpRequest, limit: Int = 5) async throws -> HttpResponse {
        try await makeClient(server) { $0.redirects = .follow(limit: limit) }.client.request(request: request)
    }

    private func start(_ build: (inout HttpRequest) -> Void = { _ in }) -> HttpRequest {
        makeRequest("https://api.example.com/start", build)
    }

    @Test func `Redirects are not followed by default`() async throws {
        let (client, server) = makeClient(.redirect(to: "/next"))
        let response = try await client.request(request: start())
        #expect(response.status.isRedirect())
        #expect(response.getHeader(name: "Location") == "/next")
        #expect(server.requests.count == 1)
    }

    @Test func `The request of the final response has the final URL`() async throws {
        server.on(nil, "/start", .redirect(to: "https://api.example.com/next?a=1#part"))
        server.on(nil, "/next", .text("there"))
        let response = try await follow(start { $0.setParameter(name: "q", value: "1") })
        #expect(response.bodyAsString() == "there")
        #expect(response.request.url == "https://api.example.com/next?a=1")
        #expect(
            server.requests.map(\.url) == ["https://api.example.com/start?q=1", "https://api.example.com/next?a=1"]
        )
    }

    @Test(arguments: [
        ("g", "/b/c/g"), ("./g", "/b/c/g"), ("g/", "/b/c/g/"), ("/g", "/g"), ("?y", "/b/c/d;p?y"), ("g?y", "/b/c/g?y"),
        (";x", "/b/c/;x"), ("..", "/b/"), ("../g", "/b/g"), ("../../../g", "/g"), ("/../g", "/g"),
        ("g;x=1/../y", "/b/c/y"), ("#s", "/b/c/d;p?q"), ("//api.example.com/g", "/g"), ("g h", "/b/c/g%20h"),
        ("https://api.example.com/a/../g/./h?x=/../y", "/g/h?x=/../y"), ("//api.example.com/a/b/..", "/a/"),
        ("ü", "/b/c/%C3%BC"), ("g?y/../x", "/b/c/g?y/../x"), ("a%20b c", "/b/c/a%20b%20c"),
    ])
    func `Location is resolved as in RFC 3986`(location: String, target: String) async throws {
        let isFirst = Locked(true)
        let server = MockTransport { _ in
            let first = isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            return first ? .redirect(to: location).header(.setCookie, "id=1") : .status(200)
        }
        let (client, _) = makeClient(server) { $0.redirects = .follow(limit: 1) }
        _ = try await client.request(request: makeRequest("https://api.example.com/b/c/d;p?q"))
        #expect(server.requests.last?.head.path == target)
        #expect(server.requests.count == 2)
    }

    @Test(arguments: [
        (301, "POST", "GET"), (302, "POST", "GET"), (303, "POST", "GET"), (307, "POST", "POST"), (308, "POST", "POST"),
        (301, "PUT", "PUT"), (302, "PATCH", "PATCH"), (303, "PUT", "GET"), (303, "DELETE", "GET"),
        (303, "HEAD", "HEAD"),
        (302, "HEAD", "HEAD"), (307, "DELETE", "DELETE"),
    ])
    func `Redirects change the method as browsers do`(status: Int, method: String, next: String) async throws {
        server.on(nil, "/start", .redirect(to: "/next", status: status))
        server.on(nil, "/next", .status(200))
        let hasBody = method != "HEAD"
        _ = try await follow(
            start { request in
                if hasBody { request.post(contentType: "text/plain", body: "body") }
                request.setHeader(name: "Content-Language", value: "en")
                request.setHeader(name: "Accept", value: "text/plain")
                request.setMethod(method)
            }
        )
        let sent = try #require(server.requests.last)
        let keeps = next == method
        #expect(sent.method.rawValue == next)
        #expect(sent.text == (keeps && hasBody ? "body" : ""))
        #expect(sent.header("Content-Type") == (keeps && hasBody ? "text/plain" : nil))
        #expect((sent.header("Content-Language") == nil) == !keeps)
        #expect(sent.header("Accept") == "text/plain")
    }

    @Test func `A one-shot body fails on a redirect that requires it again`() async throws {
        server.on(nil, "/start", .redirect(to: "/next", status: 307))
        let body = BodyStream(AsyncStream<Data> { $0.finish() })
        await #expect {
            try await follow(
                start { request in
                    request.setMethod(.post)
                    request.body = .stream(body)
                }
            )
        } throws: { error in
            guard case NetworkError.invalidRequest(let failure) = error else { return false }
            return failure.reason.contains("can be sent only once")
                && failure.request == "POST https://api.example.com/start"
        }
        #expect(server.requests.count == 1)
    }

    @Test(arguments: [
        "http://api.example.com/", "https://[broken", "https://user:pa55@api.example.com/", "https://a:0/",
    ])
    func `A redirect to an insecure or invalid URL is an error`(location: String) async throws {
        server.on(nil, "/start", .redirect(to: location))
        await #expect {
            try await follow(start())
        } throws: { error in
            guard case NetworkError.invalidResponse = error else { return false }
            return !"\(error)".contains("pa55")
                && "\(error)".hasPrefix("GET https://api.example.com/start: the server redirects")
        }
        #expect(server.requests.count == 1)
    }

    @Test(arguments: ["myapp://callback?code=1", "mailto:a@example.com"])
    func `A redirect with another URL scheme is returned as the response`(location: String) async throws {
        server.on(nil, "/start", .redirect(to: location))
        let response = try await follow(start())
        #expect(response.getHeader(name: "Location") == location)
    }

    @Test(arguments: [300, 304, 305, 306, 200, 201])
    func `Other statuses with a Location header are returned as the response`(status: Int) async throws {
        server.on(nil, "/start", .redirect(to: "/next", status: status))
        #expect(try await follow(start()).status.code == status)
    }

    @Test func `A redirect without a Location header is returned as the response`() async throws {
        server.on(nil, "/start", .status(302))
        #expect(try await follow(start()).status.code == 302)
    }

    @Test func `A redirect with an empty Location header is returned as the response`() async throws {
        let script: Script = [.receiveRequest, .send("HTTP/1.1 302 Found\r\nLocation:\r\nContent-Length: 0\r\n\r\n")]
        try await withScriptedServer([script]) { server in
            let client = HttpClient.createClient { $0.redirects = .follow(limit: 5) }
            defer { client.close() }
            let response = try await client.request(request: makeRequest("http://\(server.authority)/start"))
            #expect(response.status.code == 302)
            #expect(response.getHeader(name: "Location") == "")
            #expect(server.requests.count == 1)
        }
    }

    @Test func `More redirects than the limit are an error`() async throws {
        let count = Locked(0)
        let server = MockTransport { _ in
            .redirect(to: "/\(count.withLock { count in count += 1; return count })")
        }
        let (client, _) = makeClient(server) { $0.redirects = .follow(limit: 3) }
        await #expect {
            try await client.request(request: start())
        } throws: { error in
            guard case NetworkError.tooManyRedirects(let failure) = error else { return false }
            return failure.reason.contains("more than 3 times")
        }
        #expect(server.requests.count == 4)
    }

    @Test func `A redirect loop is followed up to the limit`() async throws {
        server.on(nil, "/start", .redirect(to: "/next"))
        server.on(nil, "/next", .redirect(to: "/start"))
        await #expect {
            try await follow(start(), limit: 7)
        } throws: { error in
            guard case NetworkError.tooManyRedirects(let failure) = error else { return false }
            return failure.reason == "the server redirected more than 7 times"
        }
        #expect(server.requests.count == 8)
    }

    @Test func `A page that redirects to itself until its state changes is reached`() async throws {
        let visits = Locked(0)
        let server = MockTransport { _ in
            visits.withLock { visits in
                visits += 1
                return visits < 4 ? .redirect(to: "/start") : .text("welcome")
            }
        }
        let (client, _) = makeClient(server) { $0.redirects = .follow(limit: 5) }
        #expect(try await client.request(request: start()).bodyAsString() == "welcome")
        #expect(server.requests.map(\.url) == Array(repeating: "https://api.example.com/start", count: 4))
    }

    @Test func `A page that redirects to a sign-in page and back is reached with the sign-in's cookie`() async throws {
        server.on(nil, "/start") { request in
            .redirect(to: request.header("Cookie") == nil ? "/login" : "/home")
        }
        server.on(nil, "/home", .text("welcome"))
        server.on(nil, "/login", MockResponse.redirect(to: "/start").header(.setCookie, "id=1"))
        #expect(try await follow(start()).bodyAsString() == "welcome")
    }

    @Test func `Cookies set by each hop are stored and sent to the next`() async throws {
        server.on(nil, "/start", MockResponse.redirect(to: "/next").header(.setCookie, "a=1"))
        server.on(nil, "/next", MockResponse.redirect(to: "/end").header(.setCookie, "b=2"))
        server.on(nil, "/end", .status(200))
        _ = try await follow(start { $0.setCookie(cookie: "own=0") })
        #expect(server.requests.map { $0.header("Cookie") } == ["own=0", "own=0; a=1", "own=0; a=1; b=2"])
    }

    @Test func `All hops share the timeout of the call`() async throws {
        server.on(nil, "/start", .redirect(to: "/next"))
        server.on(nil, "/next", .status(200))
        _ = try await follow(start { $0.timeout = 5 })
        let limits = server.requests.compactMap(\.timeouts.total)
        #expect(limits.count == 2)
        #expect(limits.first?.roundedUp == 5)
        #expect(limits[1] < limits[0])
    }
}
