import Sallyport
import SallyportTesting
import TestSupport
import Testing
import Tracing

@testable import SallyportTelemetry

@Suite(.concurrencyLimited) struct TracingTests {
    private let server = MockTransport()

    @Test func `A redirect creates a second span in the same trace, and each hop receives its own context`()
        async throws
    {
        server.on(.get, "/start", .redirect(to: "https://b.example/end"))
        server.on(.get, "/end", .text("there"))
        let bench = Bench(server) { $0.redirects = .follow(limit: 3) }
        let parent = bench.tracer.startSpan("parent")
        _ = try await ServiceContext.withValue(parent.context) { try await bench.get("https://a.example/start") }
        let spans = bench.tracer.spans
        #expect(spans.map { $0.attribute("server.address") } == ["a.example", "b.example"])
        #expect(spans.map { $0.attribute("http.response.status_code") } == ["302", "200"])
        #expect(spans.allSatisfy { $0.traceID == parent.traceID && $0.parentSpanID == parent.spanID })
        #expect(server.requests.map { $0.header("traceparent") } == spans.map(\.traceparent))
        #expect(server.requests.map { $0.header("tracestate") } == ["vendor=1", "vendor=1"])
    }

    @Test func `Each attempt of an authentication has its own span`() async throws {
        server.on(.get, "/") { request in
            if request.header("Authorization") != nil { return .status(200) }
            return .status(401).header(.wwwAuthenticate, "Digest realm=\"r\", nonce=\"n\", qop=\"auth\"")
        }
        let bench = Bench(server) { config in
            config.authentication = [.digest(user: "ada", password: "hidden", for: "https://a.example")]
        }
        try await bench.get("https://a.example/")
        #expect(bench.tracer.spans.map { $0.attribute("http.response.status_code") } == ["401", "200"])
        #expect(bench.requests() == 2)
    }

    @Test func `Only the propagation hosts receive the trace context, and each request has a span`() async throws {
        server.on(.get, "/start", .redirect(to: "https://foreign.example/end"))
        server.on(.get, "/end", .text("there"))
        let own = [try HostPattern("*.own.example")]
        let bench = Bench(server, telemetry: { $0.propagationHosts = own }) { $0.redirects = .follow(limit: 3) }
        try await bench.get("https://api.own.example/start")
        #expect(bench.tracer.spans.count == 2)
        #expect(server.requests[0].header("traceparent") == bench.tracer.spans[0].traceparent)
        #expect(server.requests[1].header("traceparent") == nil)
        #expect(server.requests[1].header("tracestate") == nil)
    }

    @Test func `Secrets in a query are masked in the span`() async throws {
        let bench = Bench(MockTransport { _ in .status(200) })
        _ = try await bench.client.request { request in
            request.url = "https://a.example/path?access_token=hidden1&q=shown"
            request.setParameter(name: "password", value: "hidden2")
            request.setHeader(name: "Authorization", value: "Bearer hidden3")
        }
        let span = try #require(bench.tracer.spans.first)
        #expect(span.attribute("url.full") == "https://a.example/path?access_token=REDACTED&q=shown&password=REDACTED")
        #expect(!"\(span)".contains("hidden"))
    }

    @Test func `A request whose body cannot be collected has the status of its response`() async throws {
        server.on(.get, "/", MockResponse.text("a long text").with(.cut(after: 3)))
        let bench = Bench(server)
        let error = await #expect(throws: NetworkError.self) { try await bench.get("https://a.example/") }
        #expect(error?.kind == "incompleteBody")
        #expect(error?.failure.status?.code == 200)
        let span = try #require(bench.tracer.spans.first)
        #expect(span.attribute("http.response.status_code") == "200")
        #expect(span.attribute("error.type") == "incompleteBody")
        #expect(bench.requests(["error.type": "incompleteBody", "http.response.status_code": "200"]) == 1)
    }

    @Test func `The span of a failed request contains no secret`() async throws {
        let bench = Bench(MockTransport { _ in .fail(.timeout("too long")) })
        await expectError(\NetworkError.kind, "timeout") { try await bench.get("https://a.example/?token=hidden") }
        let span = try #require(bench.tracer.spans.first)
        #expect(span.attribute("error.type") == "timeout")
        #expect(span.status?.code == .error)
        #expect(span.status?.message?.contains("too long") == true)
        #expect(span.errors.count == 1)
        #expect(!"\(span) \(span.errors)".contains("hidden"))
    }

    @Test func `A trace context set by the app is replaced, and invalid header fields are omitted`() async throws {
        server.on(.get, "/", .status(200))
        let tracer = W3CTracer(extras: ["no header": "1", "broken": "a\r\nb"])
        let bench = Bench(server, tracer: tracer)
        _ = try await bench.client.request { request in
            request.url = "https://a.example/"
            request.setHeader(name: "Traceparent", value: "the app's own")
        }
        let sent = try #require(server.requests.first?.head.headerFields)
        #expect(sent[values: .init("traceparent")!] == tracer.spans.map(\.traceparent))
        #expect(sent[.init("broken")!] == nil)
    }

    @Test func `Spans of wire interceptors are children of the request's span`() async throws {
        server.on(.get, "/", .status(200))
        let tracer = W3CTracer()
        let client = HttpClient.createClient { config in
            config.transport = server
            config.addTelemetry(Telemetry(tracer: tracer))
            config.addWireInterceptor(Signing(tracer: tracer))
        }
        _ = try await client.request { $0.url = "https://a.example/" }
        #expect(tracer.spans.map(\.operationName) == ["sign", "GET"])
        #expect(tracer.spans[0].parentSpanID == tracer.spans[1].spanID)
    }

    private struct Signing: Interceptor {
        let tracer: W3CTracer

        func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
            tracer.withSpan("sign") { _ in }
            return try await next(request)
        }
    }

    @Test func `An instrument without spans still propagates the context`() async throws {
        server.on(.get, "/", .status(200))
        let propagator = W3CTracer()
        let client = HttpClient.createClient { config in
            config.transport = server
            let tracing = RequestTracing(
                tracer: NoOpTracer(),
                propagator: propagator,
                hosts: nil,
                options: SpanOptions()
            )
            config.addWireInterceptor(RequestTelemetry(metrics: nil, tracing: tracing, knownMethods: ["GET"]))
        }
        let parent = propagator.startSpan("parent")
        _ = try await ServiceContext.withValue(parent.context) {
            try await client.request { $0.url = "https://a.example/" }
        }
        #expect(server.requests.first?.header("traceparent") == "00-\(parent.traceID)-\(parent.spanID)-01")
        #expect(propagator.spans.isEmpty)
    }

    @Test func `Concurrent calls have separate spans`() async throws {
        let bench = Bench(MockTransport { _ in .status(200) })
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<200 { group.addTask { try await bench.get("https://a.example/") } }
            try await group.waitForAll()
        }
        #expect(Set(bench.tracer.spans.map(\.spanID)).count == 200)
        #expect(bench.tracer.memory.activeSpans.isEmpty)
        #expect(bench.requests() == 200)
        #expect(bench.levels("http.client.active_requests").last == 0)
    }
}
