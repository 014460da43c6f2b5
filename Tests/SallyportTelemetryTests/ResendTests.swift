import Sallyport
import SallyportTelemetry
import SallyportTesting
import TestSupport
import Testing
import Tracing

/// Tests of calls that send several requests, each with a span.
@Suite(.concurrencyLimited) struct ResendTests {
    private static let answer = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
    private static let unavailable = "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n"
    private static let redirect = "HTTP/1.1 302 Found\r\nLocation: /next\r\nContent-Length: 0\r\n\r\n"

    /// Runs calls to a server that answers with some texts, one after the other.
    private func withServer(
        answering answers: [String],
        _ configure: @escaping @Sendable (inout HttpClientConfiguration) -> Void,
        _ body: @escaping @Sendable (Bench, _ url: String) async throws -> Void
    ) async throws {
        try await withScriptedServer([answers.flatMap { [.receiveRequest, .send($0)] }]) { server in
            let bench = Bench(telemetry: { _ in }, configure)
            try await body(bench, "http://\(server.authority)/")
            #expect(server.requests.map { $0["traceparent"] } == bench.tracer.spans.map { [$0.traceparent] })
            bench.client.close()
        }
    }

    @Test func `Each retry has its own span, which counts the earlier requests`() async throws {
        try await withServer(answering: [Self.unavailable, Self.unavailable, Self.answer]) {
            $0.retry = RetryPolicy(attempts: 3, backoff: .constant(.zero))
        } _: { bench, url in
            try await bench.get(url)
            let spans = bench.tracer.spans
            #expect(spans.map { $0.attribute("http.request.resend_count") } == [nil, "1", "2"])
            #expect(spans.map { $0.attribute("error.type") } == ["503", "503", nil])
        }
    }

    @Test func `Redirects and retries of a call are counted together, and each call begins at zero`() async throws {
        try await withServer(answering: [Self.redirect, Self.unavailable, Self.redirect, Self.answer, Self.answer]) {
            $0.redirects = .follow(limit: 5)
            $0.retry = RetryPolicy(attempts: 2, backoff: .constant(.zero))
        } _: { bench, url in
            try await bench.get(url)
            try await bench.get(url)
            let spans = bench.tracer.spans
            #expect(spans.map { $0.attribute("http.request.resend_count") } == [nil, "1", "2", "3", nil])
            #expect(spans.map { $0.attribute("error.type") } == [nil, "503", nil, nil, nil])
        }
    }

    @Test func `A redirect removes the template of the URL`() async throws {
        try await withServer(answering: [Self.redirect, Self.answer]) {
            $0.redirects = .follow(limit: 5)
        } _: { bench, url in
            _ = try await bench.client.request { request in
                request.url = url
                request.urlTemplate = "/"
            }
            #expect(bench.tracer.spans.map(\.operationName) == ["GET /", "GET"])
        }
    }

    @Test func `The span of the redirect that exceeded the limit is an error`() async throws {
        try await withServer(answering: [Self.redirect, Self.redirect]) {
            $0.redirects = .follow(limit: 1)
        } _: { bench, url in
            await expectError(\NetworkError.kind, "tooManyRedirects") { try await bench.get(url) }
            let spans = bench.tracer.spans
            #expect(spans.map { $0.attribute("error.type") } == [nil, "tooManyRedirects"])
            #expect(spans.map { $0.attribute("http.response.status_code") } == ["302", "302"])
            #expect(spans.map { $0.status?.code } == [nil, .error])
            #expect(bench.requests(["error.type": "tooManyRedirects"]) == 1)
            #expect(bench.levels("http.client.active_requests") == [1, 0, 1, 0])
        }
    }

    @Test func `The span of a streamed redirect that exceeded the limit is an error`() async throws {
        try await withServer(answering: [Self.redirect]) {
            $0.redirects = .follow(limit: 0)
        } _: { bench, url in
            await expectError(\NetworkError.kind, "tooManyRedirects") {
                try await bench.client.stream({ $0.url = url }, handle: { _ in })
            }
            #expect(bench.tracer.spans.map { $0.attribute("error.type") } == ["tooManyRedirects"])
            #expect(bench.tracer.memory.activeSpans.isEmpty)
        }
    }

    @Test func `A redirect that the client returns is no error`() async throws {
        try await withServer(answering: [Self.redirect]) { _ in
        } _: { bench, url in
            try await bench.get(url)
            #expect(bench.tracer.spans.map { $0.attribute("http.response.status_code") } == ["302"])
            #expect(bench.tracer.spans.map { $0.status?.code } == [nil])
        }
    }

    @Test func `A validation in the background, which outlives its call, ends although its response is a redirect`()
        async throws
    {
        let fields = "Cache-Control: max-age=0, stale-while-revalidate=60\r\nContent-Length: 5"
        try await withServer(answering: ["HTTP/1.1 200 OK\r\n\(fields)\r\n\r\nhello", Self.redirect]) {
            $0.cache = HttpCache(storage: MemoryCacheStorage())
        } _: { bench, url in
            for _ in 0..<2 { try await bench.get(url) }
            let spans = try await eventually { bench.tracer.spans.count == 2 ? bench.tracer.spans : nil }
            #expect(spans?.map { $0.attribute("http.response.status_code") } == ["200", "302"])
            #expect(bench.requests(["http.response.status_code": "302"]) == 1)
            #expect(bench.tracer.memory.activeSpans.isEmpty)
        }
    }

    /// Sends a request of its own before that of the app, as payload encryption does.
    private struct Handshake: Interceptor {
        func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
            var handshake = request
            handshake.action = Action("HANDSHAKE")
            _ = try await next(handshake)
            return try await next(request)
        }
    }

    @Test func `A request that another stage sends first is not counted as the same request`() async throws {
        try await withServer(answering: [Self.answer, Self.answer]) {
            $0.sealing = [Handshake()]
        } _: { bench, url in
            try await bench.get(url)
            #expect(bench.tracer.spans.map { $0.attribute("http.request.resend_count") } == [nil, nil])
        }
    }

    private struct AskingFirst: Interceptor {
        let other: Bench
        let url: String

        func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
            try await other.get(url)
            return try await next(request)
        }
    }

    @Test func `Requests of a client within a call of another one are counted separately`() async throws {
        try await withScriptedServer([[.receiveRequest, .send(Self.answer)]]) { server in
            let url = "http://\(server.authority)/"
            let inner = Bench()
            let outer = Bench { $0.addWireInterceptor(AskingFirst(other: inner, url: url)) }
            try await outer.get(url)
            #expect(outer.tracer.spans.map { $0.attribute("http.request.resend_count") } == [nil])
            #expect(inner.tracer.spans.map { $0.attribute("http.request.resend_count") } == [nil])
            inner.client.close()
            outer.client.close()
        }
    }
}
