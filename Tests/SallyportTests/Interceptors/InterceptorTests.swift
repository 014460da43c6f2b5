import ClientTestSupport
import Foundation
import Sallyport
import SallyportStorage
import SallyportTesting
import TestSupport
import Testing

private struct Note: Interceptor {
    let name: String
    let journal: Journal

    func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
        journal.add("\(name) out")
        let response = try await next(request)
        journal.add("\(name) back")
        return response
    }
}

private struct Handler: Interceptor {
    let handle: @Sendable (HttpRequest, Next) async throws -> HttpResponse

    func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
        try await handle(request, next)
    }
}

@Suite(.concurrencyLimited) struct InterceptorTests {
    private struct Refusal: Error {}

    @Test func `Interceptors nest in registration order, and response hooks run in registration order`() async throws {
        let journal = Journal()
        let (client, _) = makeClient { config in
            config.onResponse { _ in journal.add("response 1") }
            config.addInterceptor(Note(name: "A", journal: journal))
            config.onRequest { _ in journal.add("request 1") }
            config.onResponse { _ in journal.add("response 2") }
            config.addInterceptor(Note(name: "B", journal: journal))
            config.onRequest { _ in journal.add("request 2") }
            config.addWireInterceptor(Note(name: "W", journal: journal))
        }
        _ = try await client.request(request: makeRequest())
        #expect(
            journal.entries == [
                "A out", "request 1", "B out", "request 2", "W out",
                "W back", "B back", "A back", "response 1", "response 2",
            ]
        )
    }

    @Test func `A request with which an interceptor replaces the app's has the timeouts of the client`() async throws {
        let (client, server) = makeClient { config in
            config.timeouts = Timeouts(connect: .seconds(3), total: .seconds(9))
            config.addInterceptor(Handler { _, next in try await next(makeRequest("https://other.example.com/")) })
            config.onRequest { request in
                let url = request.url
                request = HttpRequest(url: url)
            }
        }
        _ = try await client.request(request: makeRequest())
        try await client.stream(request: makeRequest()) { _ in }
        let timeouts = server.requests.map(\.timeouts)
        #expect(timeouts.map(\.connect) == [.seconds(3), .seconds(3)])
        #expect(timeouts.map(\.total?.roundedUp) == [9, nil])
        #expect(timeouts.map(\.head) == [Timeouts().head, Timeouts().head ?? .seconds(9)])
    }

    @Test func `An interceptor can change the request and the response`() async throws {
        let (client, server) = makeClient { config in
            config.onRequest { request in
                request.url = "https://other.example.com/"
                request.form(parameters: ["a": "1"])
            }
            config.onResponse { $0.body = Data("changed".utf8) }
        }
        let response = try await client.request(request: makeRequest())
        #expect(server.requests.first?.url == "https://other.example.com/")
        #expect(server.requests.first?.text == "a=1")
        #expect(response.bodyAsString() == "changed")
    }

    @Test func `A response hook reads the URL of the request as it was sent`() async throws {
        let journal = Journal()
        let (client, _) = makeClient { config in
            config.onResponse { response in journal.add(response.request.url ?? "") }
        }
        _ = try await client.request { request in
            request.url = "https://api.example.com/search"
            request.setParameter(name: "q", value: "swift")
        }
        #expect(journal.entries == ["https://api.example.com/search?q=swift"])
    }

    @Test func `A response hook can follow a redirect and replace the response`() async throws {
        let server = MockTransport()
        server.on(nil, "/start", .redirect(to: "https://api.example.com/next"))
        server.on(nil, "/next", .text("there"))
        let (following, _) = makeClient(server)
        let (client, _) = makeClient(server) { config in
            config.onResponse { response in
                guard response.status.isRedirect(), let target = response.getHeader(name: "Location") else { return }
                response = try await following.request { request in request.url = target }
            }
        }
        let response = try await client.request(request: makeRequest("https://api.example.com/start"))
        #expect(response.bodyAsString() == "there")
        #expect(server.requests.map(\.path) == ["/start", "/next"])
    }

    @Test func `An interceptor can transform a body as it is streamed`() async throws {
        struct Loud: ResponseBodySource {
            let body: ResponseBody
            var trailers: HTTPFields { body.trailers }

            func read() async throws(NetworkError) -> Data? {
                var chunks = body.makeAsyncIterator()
                let chunk = try? await chunks.next()
                return chunk.map { Data(String(decoding: $0, as: UTF8.self).uppercased().utf8) }
            }

            func cancel() { body.cancel() }
        }
        let (client, _) = makeClient(.text("abcdef").with(.drip(bytes: 2))) { config in
            config.addInterceptor(
                Handler { request, next in
                    var response = try await next(request)
                    response.bodyStream = ResponseBody(source: Loud(body: response.bodyStream))
                    return response
                }
            )
        }
        let chunks = try await client.stream(request: makeRequest()) { response in
            #expect(response.body == nil)
            var chunks: [String] = []
            for try await chunk in response.bodyStream { chunks.append(String(decoding: chunk, as: UTF8.self)) }
            return chunks
        }
        #expect(chunks == ["AB", "CD", "EF"])
    }

    @Test func `An interceptor can return a response without sending the request`() async throws {
        let (client, server) = makeClient { config in
            config.addInterceptor(Handler { request, _ in HttpResponse(status: .accepted, request: request) })
        }
        #expect(try await client.request(request: makeRequest()).status == .accepted)
        #expect(server.requests.isEmpty)
    }

    @Test func `An interceptor can send the request several times`() async throws {
        let count = Locked(0)
        let server = MockTransport { _ in
            .status(
                count.withLock { count in
                    count += 1
                    return count < 3 ? 503 : 200
                }
            )
        }
        let (client, _) = makeClient(server) { config in
            config.addInterceptor(
                Handler { request, next in
                    var response = try await next(request)
                    while response.status.isServerError() { response = try await next(request) }
                    return response
                }
            )
        }
        #expect(try await client.request(request: makeRequest()).status == .ok)
        #expect(server.requests.count == 3)
    }

    @Test func `An error thrown by an interceptor becomes a network error that names interceptor and request`() async {
        let (client, server) = makeClient { config in
            config.addInterceptor(Handler { _, _ in throw Refusal() })
        }
        await #expect {
            try await client.request(request: makeRequest("https://api.example.com/a?b=c"))
        } throws: { error in
            guard case NetworkError.networkError(let failure) = error else { return false }
            return failure.underlying is Refusal && failure.request == "GET https://api.example.com/a?…"
                && failure.reason.contains("Handler")
        }
        #expect(server.requests.isEmpty)
    }

    @Test func `A network error thrown by a hook keeps its case`() async {
        let (client, _) = makeClient { config in
            config.onRequest { _ in throw NetworkError.networkUnavailable("offline by choice") }
        }
        await #expect {
            try await client.request(request: makeRequest())
        } throws: { error in
            guard case NetworkError.networkUnavailable = error else { return false }
            return true
        }
    }

    @Test func `An error thrown by a response hook fails the call`() async {
        let (client, server) = makeClient { config in
            config.onResponse { _ in throw Refusal() }
        }
        let error = await expectError(\NetworkError.kind, "networkError") {
            try await client.request(request: makeRequest())
        }
        #expect(error?.failure.underlying is Refusal)
        #expect(server.requests.count == 1)
    }

    @Test func `An error names the request as changed by the interceptors`() async {
        let (client, _) = makeClient(.fail(.connectionFailed("refused"))) { config in
            config.onRequest { $0.url = "https://other.example.com/" }
        }
        await #expect {
            try await client.request(request: makeRequest(nil))
        } throws: { error in
            (error as? NetworkError)?.failure.request == "GET https://other.example.com/"
        }
    }

    @Test func `Cancelling the task in an interceptor prevents the request from being sent`() async {
        let (client, server) = makeClient { config in
            config.onRequest { _ in withUnsafeCurrentTask { $0?.cancel() } }
        }
        let call = Task { try await client.request(request: makeRequest()) }
        await #expect {
            try await call.value
        } throws: { error in
            guard case NetworkError.cancelled = error else { return false }
            return true
        }
        #expect(server.requests.isEmpty)
    }

    @Test func `Wire interceptors see cookies and standard headers on every hop`() async throws {
        let journal = Journal()
        let server = MockTransport()
        server.on(.get, "/a", .redirect(to: "/b").header(.setCookie, "id=1"))
        server.on(.get, "/b", .status(200))
        let (client, _) = makeClient(server) { config in
            config.redirects = .follow(limit: 3)
            config.addWireInterceptor(
                Handler { request, next in
                    let cookie = request.getHeader(name: "Cookie") ?? "none"
                    journal.add("\(request.url ?? "") \(cookie) \(request.getHeader(name: "x-requested-with") ?? "")")
                    return try await next(request)
                }
            )
        }
        _ = try await client.request(request: makeRequest("https://api.example.com/a"))
        #expect(
            journal.entries == [
                "https://api.example.com/a none sallyport-sdk", "https://api.example.com/b id=1 sallyport-sdk",
            ]
        )
    }
}
