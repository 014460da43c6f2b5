import ClientTestSupport
import Foundation
import Sallyport
import SallyportTesting
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct ActionInterceptorTests {
    @Test func `An interceptor can change parameters, headers, cookies, URL, method and body`() async throws {
        let (client, server) = makeClient { config in
            config.addInterceptor(
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
        }
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

    @Test func `An interceptor can change the timeout of the request`() async throws {
        let (client, server) = makeClient { config in
            config.timeout = 30
            config.addInterceptor(Intercepting { request, _ in request.timeout = 3 })
        }
        _ = try await client.request(request: startAuthenticate())
        #expect(server.requests.map { $0.timeouts.total?.roundedUp } == [3])
    }

    @Test func `An interceptor receives the action of the request`() async throws {
        let journal = Journal()
        let (client, _) = makeClient { config in
            config.addInterceptor(
                Intercepting { _, action in
                    journal.add("\(action.type) \(action.payload?["tree"]?.string ?? "none")")
                }
            )
        }
        _ = try await client.request(request: startAuthenticate())
        _ = try await client.request(request: makeRequest { $0.action = Action("REFRESH_TOKEN") })
        #expect(journal.entries == ["START_AUTHENTICATE Login", "REFRESH_TOKEN none"])
    }

    @Test func `A network error thrown by an interceptor keeps its case`() async {
        let (client, _) = makeClient { config in
            config.addInterceptor(Intercepting { _, _ in throw NetworkError.networkUnavailable("offline") })
        }
        await #expect {
            try await client.request(request: startAuthenticate())
        } throws: { error in
            guard case NetworkError.networkUnavailable = error else { return false }
            return true
        }
    }

    @Test func `An invalid header set by an interceptor fails the call before anything is sent`() async {
        let (client, server) = makeClient { config in
            config.addInterceptor(Intercepting { request, _ in request.setHeader(name: "X-Bad", value: "a\r\nb") })
        }
        await #expect {
            try await client.request(request: startAuthenticate())
        } throws: { error in
            guard case NetworkError.invalidRequest = error else { return false }
            return true
        }
        #expect(server.requests.isEmpty)
    }

    @Test func `A secret attached for one origin is not sent to another that an interceptor chooses`() async {
        struct Copying: ActionInterceptor {
            func intercept(request: HttpRequest, action: Action) -> HttpRequest {
                var copy = request
                copy.url = "https://other.example/"
                return copy
            }
        }
        let (client, server) = makeClient { config in
            config.onRequest { request in try request.attach(header: "X-API-Key", value: "k-1") }
            config.addInterceptor(Copying())
        }
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
        let (client, server) = makeClient { config in
            config.cookieJar = jar
            config.addInterceptor(
                Intercepting { request, _ in request.setHeader(name: "Cookie", value: "member=gold; level=2") }
            )
        }
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
            config.addInterceptor(
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
        let (client, server) = makeClient { config in
            config.addInterceptor(Intercepting { _, _ in withUnsafeCurrentTask { $0?.cancel() } })
        }
        let call = Task { try await client.request(request: startAuthenticate()) }
        await #expect {
            try await call.value
        } throws: { error in
            guard case NetworkError.cancelled = error else { return false }
            return true
        }
        #expect(server.requests.isEmpty)
    }
}
