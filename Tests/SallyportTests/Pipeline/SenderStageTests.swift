import ClientTestSupport
import Foundation
import Sallyport
import SallyportStorage
import TestSupport
import Testing

/// A client of an app that responds with a closure.
private final class AppClient: HttpClientProtocol {
    typealias Answer = @Sendable (HttpRequest) async throws(NetworkError) -> HttpResponse

    let received = Watched<[HttpRequest]>([])
    let isClosed = Watched(false)
    private let answer: Answer

    init(_ answer: @escaping Answer = { HttpResponse(status: .ok, request: $0) }) { self.answer = answer }

    func request() -> HttpRequest {
        var request = HttpRequest()
        request.setHeader(name: "X-App", value: "1")
        return request
    }

    func request(request: HttpRequest) async throws(NetworkError) -> HttpResponse {
        received.update { $0.append(request) }
        return try await answer(request)
    }

    func close() { isClosed.update { $0 = true } }

    /// A client that responds only when its task is cancelled.
    static func stalled() -> AppClient {
        AppClient { _ async throws(NetworkError) in
            try? await Task.sleep(for: .seconds(3_600))
            throw .cancelled("the task was cancelled")
        }
    }
}

/// A client of an app that streams its responses.
private struct StreamingClient: HttpClientProtocol {
    private struct Chunks: ResponseBodySource {
        let left: Locked<[Data]>
        var trailers: HTTPFields { [:] }
        func read() async throws(NetworkError) -> Data? { left.withLock { $0.isEmpty ? nil : $0.removeFirst() } }
        func cancel() {}
    }

    let chunks: [String]
    let hasEnded = Watched(false)

    func request(request: HttpRequest) async throws(NetworkError) -> HttpResponse {
        throw .invalidRequest("only streamed")
    }

    func send(_ request: HttpRequest, in scope: ExchangeScope) async throws(NetworkError) -> HttpResponse {
        scope.onExit { [hasEnded] in hasEnded.update { $0 = true } }
        var response = HttpResponse(
            status: .ok,
            headers: ["Content-Type": ["text/event-stream"]],
            request: request
        )
        response.bodyStream = ResponseBody(source: Chunks(left: Locked(chunks.map { Data($0.utf8) })))
        return response
    }

    func close() {}
}

/// A client of an app that sends its requests with an `HttpClient`.
private struct Decorator: HttpClientProtocol {
    let client: HttpClient

    func request(request: HttpRequest) async throws(NetworkError) -> HttpResponse {
        try await client.request(request: request)
    }

    func close() { client.close() }
}

/// Attaches credentials to each request for one origin.
private struct Badge: Interceptor {
    func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
        var request = request
        if try request.origin() == "https://api.example.com" { try request.attach(authorization: "Badge canary") }
        return try await next(request)
    }
}

/// Adds a mark and a cookie to each request with an action.
private struct Marking: RequestInterceptor {
    let mark: String

    func intercept(request: HttpRequest, action: Action) -> HttpRequest {
        var request = request
        request.addHeader(name: "X-Marks", value: mark)
        return request
    }

    func intercept(cookies: [Cookie], action: Action) -> [Cookie] {
        cookies + [Cookie(name: mark, value: "1", domain: "am.example.com")]
    }
}

@Suite(.concurrencyLimited) struct SenderStageTests {
    @Test func `A client of the app receives the complete URL, the time that is left and the marks of the request`()
        async throws
    {
        let app = AppClient()
        let client = HttpClient.createClient(sendingWith: app)
        _ = try await client.request { request in
            request.url = "https://API.example.com?a=1"
            request.setParameter(name: "q", value: "x y")
            request.action = Action("REFRESH_TOKEN")
            request.carriesOwnCredentials = true
            request.timeout = 3_600
        }
        let request = try #require(app.received.value.first)
        #expect(request.url == "https://api.example.com/?a=1&q=x%20y")
        #expect(request.parameters.isEmpty)
        #expect(request.getHeaders() == ["X-App": "1"])
        #expect(request.action?.type == "REFRESH_TOKEN")
        #expect(request.carriesOwnCredentials)
        #expect(try (3_000...3_600).contains(#require(request.timeout)))
    }

    @Test func `The settings of a client apply to the client of the app that it sends with`() async throws {
        let failures = Locked(2)
        let app = AppClient { request throws(NetworkError) in
            let fails = failures.withLock { failures in
                failures -= 1
                return failures >= 0
            }
            if fails { throw .connectionLost("cut") }
            return HttpResponse(status: .ok, headers: ["Set-Cookie": ["a=1"]], request: request)
        }
        let client = HttpClient.createClient(sendingWith: app) { config in
            config.cookieJar = CookieJar()
            config.retry = .constant(attempts: 3, delay: .zero)
            config.onRequest { $0.setHeader(name: "X-Hook", value: "2") }
        }
        #expect(try await client.request { $0.url = "https://api.example.com/" }.attempts == 3)
        _ = try await client.request { $0.url = "https://api.example.com/" }
        #expect(app.received.value.map { $0.getHeader(name: "X-Hook") } == ["2", "2", "2", "2"])
        #expect(app.received.value.map { $0.getHeader(name: "Cookie") } == [nil, nil, nil, "a=1"])
    }

    @Test func `A call ends at its timeout even if the client of the app does not limit it`() async throws {
        let client = HttpClient.createClient(sendingWith: AppClient.stalled()) { config in
            config.timeouts.total = .milliseconds(20)
        }
        try await withDeadline(.patience, "the timeout") {
            await expectError(\NetworkError.kind, "timeout") {
                try await client.request { $0.url = "https://api.example.com/" }
            }
        }
    }

    @Test func `A streamed call without a timeout ends if the client of the app does not respond`() async throws {
        let client = HttpClient.createClient(sendingWith: AppClient.stalled()) { config in
            config.longestWaitForSender = .milliseconds(20)
        }
        try await withDeadline(.patience, "the timeouts") {
            await expectError(\NetworkError.kind, "timeout") {
                try await client.stream { request in
                    request.url = "https://api.example.com/"
                } handle: { _ in
                }
            }
            var options = EventStreamOptions()
            options.reconnects = false
            let events = client.events(options: options) { $0.url = "https://api.example.com/" }
            let error = await #expect(throws: EventStreamError.self) {
                for try await _ in events {}
            }
            guard case .network(.timeout) = error?.reason else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
    }

    @Test func `The shared request interceptors run once if a client of the app sends with another client`() async {
        await #expect(processExitsWith: .success) {
            RequestInterceptorRegistry.shared.register(Marking(mark: "shared"))
            let (inner, server) = makeClient { $0.requestInterceptors.register(Marking(mark: "inner")) }
            let outer = Decorator(client: inner).asHttpClient()
            outer.requestInterceptors.register(Marking(mark: "outer"))
            _ = try await outer.request(request: startAuthenticate())
            #expect(server.requests.map { $0.header("X-Marks") } == ["shared, outer, inner"])
            #expect(server.requests.map { $0.header("Cookie") } == ["shared=1; outer=1; inner=1"])
            let response: HttpResponse = try await outer.request(request: startAuthenticate())
            var again = response.request
            again.removeHeader(name: "X-Marks")
            again.removeHeader(name: "Cookie")
            _ = try await outer.request(request: again)
            #expect(server.requests.last?.header("X-Marks") == "shared, outer, inner")
        }
    }

    @Test func `The retry policy of a request is applied once if a client of the app sends with another client`()
        async throws
    {
        let (inner, server) = makeClient(.status(503)) { $0.retry = .constant(attempts: 5, delay: .zero) }
        let response = try await Decorator(client: inner).asHttpClient().request { request in
            request.url = "https://api.example.com/"
            request.retry = .constant(attempts: 2, delay: .zero)
        }
        #expect(response.attempts == 2)
        #expect(response.request.retry?.attempts == 2)
        #expect(server.requests.count == 2)
    }

    @Test func `Attached credentials remain if a client of the app sends with a client that has others`() async throws {
        let (inner, server) = makeClient { config in
            config.authentication = [.basic(user: "ada", password: "x", for: "https://api.example.com")]
        }
        let client = HttpClient.createClient(sendingWith: Decorator(client: inner)) { $0.authentication = [Badge()] }
        _ = try await client.request { $0.url = "https://api.example.com/" }
        #expect(server.requests.map { $0.header("Authorization") } == ["Badge canary"])
    }

    @Test func `A redirect to another origin is sent without secrets by a client of the app`() async throws {
        let app = AppClient { request in
            if request.url == "https://other.example/end" { return HttpResponse(status: .ok, request: request) }
            let headers: HttpHeaders = ["Location": ["https://other.example/end"]]
            return HttpResponse(status: .found, headers: headers, request: request)
        }
        let client = HttpClient.createClient(sendingWith: app) { config in
            config.redirects = .follow(limit: 1)
            config.authentication = [Badge()]
        }
        let response = try await client.request { request in
            request.url = "https://api.example.com/start"
            request.setHeader(name: "X-Api-Key", value: "canary")
        }
        #expect(response.status == .ok)
        #expect(app.received.value.map { $0.getHeader(name: "Authorization") } == ["Badge canary", nil])
        #expect(app.received.value.map { $0.getHeader(name: "X-Api-Key") } == ["canary", nil])
    }

    @Test func `A wire interceptor cannot send attached secrets to another origin with a client of the app`()
        async throws
    {
        let app = AppClient()
        let client = HttpClient.createClient(sendingWith: app) { config in
            config.authentication = [Badge()]
            config.addWireInterceptor(Elsewhere())
        }
        let error = await expectError(\NetworkError.kind, "invalidRequest") {
            try await client.request { $0.url = "https://api.example.com/" }
        }
        #expect(error?.failure.reason.contains("sends the credentials of https://api.example.com") == true)
        #expect(app.received.value.isEmpty)
    }

    @Test func `A trace contains the request that is passed to a client of the app, and its response`() async throws {
        let client = HttpClient.createClient(sendingWith: AppClient()) { config in
            config.onRequest { $0.setParameter(name: "q", value: "1") }
        }
        let response = try await client.request { request in
            request.url = "https://api.example.com/"
            request.isTraced = true
        }
        let attempt = try #require(response.trace?.attempts.first)
        #expect(response.trace?.attempts.count == 1)
        #expect(attempt.sent == "GET https://api.example.com/?q=1")
        #expect(attempt.status == .ok)
        #expect(attempt.answeredBy == nil)
        #expect(attempt.stages.flatMap(\.changes).map(\.description) == ["+ query q=1"])
    }

    @Test func `Closing a derived client ends its calls, and leaves the client of the app open`() async throws {
        let app = AppClient.stalled()
        let client = HttpClient.createClient(sendingWith: app)
        let derived = client.derived { _ in }
        async let error = expectError(\NetworkError.kind, "clientClosed") {
            try await derived.request { $0.url = "https://api.example.com/" }
        }
        try await app.received.wait("the request") { !$0.isEmpty }
        derived.close()
        _ = await error
        #expect(!app.isClosed.value)
        client.close()
        #expect(app.isClosed.value)
    }

    @Test func `A released client leaves the client of the app open`() async throws {
        let app = AppClient()
        _ = try await app.asHttpClient().request { $0.url = "https://api.example.com/" }
        #expect(!app.isClosed.value)
    }

    @Test(arguments: [("http://api.example.com/", false), ("http://localhost/", true), ("https://a.example/", true)])
    func `A confidential request is sent over TLS or to a loopback address only`(
        url: String,
        isSent: Bool
    ) async throws {
        let app = AppClient()
        let client = app.asHttpClient()
        let call: Result<HttpResponse, NetworkError> = await client.request { request in
            request.url = url
            request.requiresSecureTransport = true
        }
        #expect(app.received.value.count == (isSent ? 1 : 0))
        if case .failure(let error) = call {
            #expect(error.kind == "invalidRequest")
            #expect(!isSent)
        }
    }

    @Test func `An invalid request is not passed to the client of the app`() async throws {
        let app = AppClient()
        await expectError(\NetworkError.kind, "invalidRequest") {
            try await app.asHttpClient().request { $0.url = "ftp://example.com/" }
        }
        #expect(app.received.value.isEmpty)
    }

    @Test func `A transport, proxy or pin in addition to a client of the app fails every call`() async throws {
        let pin = "sha256/" + Data(count: 32).base64EncodedString()
        let settings: [@Sendable (inout HttpClientConfiguration) throws -> Void] = [
            { $0.transport = makeClient().server },
            { $0.proxy = .environment },
            { try $0.pins.pin("api.example.com", to: [pin]) },
        ]
        for set in settings {
            let app = AppClient()
            let client = try HttpClient.createClient(sendingWith: app, set)
            let error = await expectError(\NetworkError.kind, "invalidRequest") {
                try await client.request { $0.url = "https://api.example.com/" }
            }
            #expect(error?.failure.advice == "configure them in the client of the app")
            #expect(app.received.value.isEmpty)
        }
    }

    @Test func `A client of the app that streams passes its chunks on, and its scope ends`() async throws {
        let app = StreamingClient(chunks: ["one", "two"])
        let chunks = try await app.stream { request in
            request.url = "https://api.example.com/"
        } handle: { response in
            #expect(!app.hasEnded.value)
            return try await response.bodyStream.reduce(into: []) { $0.append(String(decoding: $1, as: UTF8.self)) }
        }
        #expect(chunks == ["one", "two"])
        #expect(app.hasEnded.value)
    }

    @Test func `A client of the app that does not stream passes the complete response`() async throws {
        let app = AppClient { HttpResponse(status: .ok, body: Data("all".utf8), request: $0) }
        let chunks = try await app.stream { request in
            request.url = "https://api.example.com/"
        } handle: { response in
            try await response.bodyStream.reduce(into: []) { $0.append(String(decoding: $1, as: UTF8.self)) }
        }
        #expect(chunks == ["all"])
    }

    @Test func `Events are received with a client of the app`() async throws {
        let app = StreamingClient(chunks: ["data: a\n", "\ndata: b\n\n"])
        var options = EventStreamOptions()
        options.reconnects = false
        var data: [String] = []
        for try await event in app.events(options: options, { $0.url = "https://api.example.com/" }) {
            data.append(event.data)
        }
        #expect(data == ["a", "b"])
        #expect(app.hasEnded.value)
    }
}
