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
            request.timeout = 5
        }
        let request = try #require(app.received.value.first)
        #expect(request.url == "https://api.example.com/?a=1&q=x%20y")
        #expect(request.parameters.isEmpty)
        #expect(request.getHeaders() == ["X-App": "1"])
        #expect(request.action?.type == "REFRESH_TOKEN")
        #expect(request.carriesOwnCredentials)
        #expect(try (4...5).contains(#require(request.timeout)))
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
