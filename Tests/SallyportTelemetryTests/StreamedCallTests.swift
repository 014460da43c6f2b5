import Sallyport
import SallyportTesting
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct StreamedCallTests {
    private struct GaveUp: Error {}

    private let server = MockTransport()

    private func stream(_ bench: Bench, _ handle: (HttpResponse) async throws -> Void) async throws {
        try await bench.client.stream({ $0.url = "https://a.example/" }, handle: handle)
    }

    @Test func `A streamed request ends with its body, not with its head`() async throws {
        server.on(.get, "/", .text("a long text").with(.drip(bytes: 4)))
        let bench = Bench(server)
        try await stream(bench) { response in
            #expect(bench.requests() == 0)
            #expect(bench.levels("http.client.active_requests") == [1])
            #expect(bench.tracer.memory.activeSpans.count == 1)
            var text = ""
            for try await chunk in response.bodyStream { text += String(decoding: chunk, as: UTF8.self) }
            #expect(text == "a long text")
            #expect(response.bodyStream.length == 11)
            #expect(bench.requests(["http.response.status_code": "200"]) == 1)
            #expect(bench.tracer.spans.count == 1)
        }
        #expect(bench.levels("http.client.active_requests") == [1, 0])
    }

    @Test func `A streamed request with a truncated body counts as failed`() async throws {
        server.on(.get, "/", .text("a long text").with(.cut(after: 3)))
        let bench = Bench(server)
        await expectError(\NetworkError.kind, "incompleteBody") {
            try await stream(bench) { response in
                for try await _ in response.bodyStream {}
            }
        }
        #expect(bench.requests(["error.type": "incompleteBody"]) == 1)
        let span = try #require(bench.tracer.spans.first)
        #expect(span.attribute("error.type") == "incompleteBody")
        #expect(span.attribute("http.response.status_code") == "200")
    }

    @Test func `A streamed request ends without an error when its body is abandoned`() async throws {
        server.on(.get, "/", .text("a long text").with(.drip(bytes: 4)))
        let bench = Bench(server)
        try await stream(bench) { _ in }
        try await stream(bench) { response in
            for try await _ in response.bodyStream { break }
        }
        await #expect(throws: GaveUp.self) { try await stream(bench) { _ in throw GaveUp() } }
        try await stream(bench) { $0.bodyStream.cancel() }
        #expect(bench.requests(["http.response.status_code": "200"]) == 4)
        #expect(bench.sizes(of: "http.client.response.body.size").isEmpty)
        #expect(bench.tracer.spans.count == 4)
        #expect(bench.tracer.memory.activeSpans.isEmpty)
    }

    @Test func `The hops of a streamed call are recorded separately, and trailers are passed through`() async throws {
        server.on(.get, "/", .redirect(to: "/end"))
        var end = MockResponse.text("there")
        end.trailers = [.init("checksum")!: "1"]
        server.on(.get, "/end", end)
        let bench = Bench(server) { $0.redirects = .follow(limit: 1) }
        try await stream(bench) { response in
            #expect(bench.requests(["http.response.status_code": "302"]) == 1)
            #expect(bench.requests() == 1)
            for try await _ in response.bodyStream {}
            #expect(response.trailers[.init("checksum")!] == "1")
        }
        #expect(bench.requests() == 2)
        #expect(bench.tracer.spans.count == 2)
    }
}
