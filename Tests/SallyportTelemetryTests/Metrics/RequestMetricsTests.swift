import Foundation
import Sallyport
import SallyportTesting
import TestSupport
import Testing

@testable import SallyportTelemetry

@Suite(.concurrencyLimited) struct RequestMetricsTests {
    private let server = MockTransport()

    @Test func `Requests are timed by server, method and status`() async throws {
        server.on(.get, "/ok", .text("ok"))
        server.on(.get, "/created", .status(201))
        server.on(.get, "/missing", .status(404))
        server.on(.post, "/ok", .status(503))
        let bench = Bench(server)
        for path in ["ok", "created", "missing"] { try await bench.get("https://a.example/\(path)") }
        try await bench.get("https://b.example:8443/ok")
        _ = try await bench.client.request { request in
            request.url = "https://a.example/ok"
            request.post(contentType: "text/plain", body: "body")
        }

        func count(_ server: String, _ port: String, _ method: String, _ status: String) -> Int {
            bench.requests([
                "server.address": server, "server.port": port, "http.request.method": method,
                "http.response.status_code": status, "network.protocol.version": "1.1",
            ])
        }
        #expect(count("a.example", "443", "GET", "200") == 1)
        #expect(count("a.example", "443", "GET", "201") == 1)
        #expect(count("a.example", "443", "GET", "404") == 1)
        #expect(count("a.example", "443", "POST", "503") == 1)
        #expect(count("b.example", "8443", "GET", "200") == 1)
        #expect(bench.requests() == 5)
        #expect(bench.requests(["error.type": "404", "http.response.status_code": "404"]) == 1)
        #expect(bench.requests(["error.type": "503", "http.response.status_code": "503"]) == 1)
    }

    @Test func `Labels without a value are omitted`() async throws {
        server.on(.get, "/ok", .text("ok"))
        server.on(.get, "/broken", .fail(.timeout("too long")))
        let bench = Bench(server)
        try await bench.get("https://a.example/ok")
        _ = try? await bench.get("https://a.example/broken")
        let names = bench.series.filter { $0.name == "http.client.request.duration" }.map { Set($0.labels.map(\.0)) }
        let common: Set = ["server.address", "server.port", "http.request.method"]
        let success = common.union(["http.response.status_code", "network.protocol.version"])
        #expect(Set(names) == [success, common.union(["error.type"])])
    }

    @Test(arguments: [
        (NetworkError.timeout("too long"), "timeout"), (.connectionFailed("refused"), "connectionFailed"),
        (.pinMismatch("another key"), "pinMismatch"), (.invalidResponse("none"), "invalidResponse"),
    ])
    func `Failed requests are recorded with the kind of error`(error: NetworkError, kind: String) async {
        let bench = Bench(MockTransport { _ in .fail(error) })
        await expectError(\NetworkError.kind, error.kind) { try await bench.get("https://a.example/") }
        #expect(bench.requests(["error.type": kind, "server.address": "a.example"]) == 1)
        #expect(bench.requests() == 1)
        #expect(bench.sizes(of: "http.client.response.body.size").isEmpty)
    }

    @Test func `A redirected call records a request for each host`() async throws {
        server.on(.get, "/start", .redirect(to: "https://b.example/end"))
        server.on(.get, "/end", .text("there"))
        let bench = Bench(server) { $0.redirects = .follow(limit: 3) }
        try await bench.get("https://a.example/start")
        #expect(bench.requests(["server.address": "a.example", "http.response.status_code": "302"]) == 1)
        #expect(bench.requests(["server.address": "b.example", "http.response.status_code": "200"]) == 1)
        #expect(bench.requests() == 2)
    }

    @Test func `An invalid request is not recorded, because it is not sent`() async {
        let bench = Bench(server)
        await expectError(\NetworkError.kind, "invalidRequest") {
            try await bench.get("https://user:secret@a.example/")
        }
        #expect(bench.series.isEmpty)
        #expect(bench.tracer.spans.isEmpty)
    }

    @Test func `Active requests are counted up and down, also if they fail`() async throws {
        server.on(.get, "/ok", .text("ok"))
        server.on(.get, "/broken", .text("a long text").with(.cut(after: 3)))
        let bench = Bench(server)
        try await bench.get("https://a.example/ok")
        await expectError(\NetworkError.kind, "incompleteBody") {
            try await bench.get("https://a.example/broken")
        }
        #expect(bench.levels("http.client.active_requests") == [1, 0, 1, 0])
    }

    @Test func `Hosts above the maximum share one label`() async throws {
        let bench = Bench(MockTransport { _ in .status(200) }, telemetry: { $0.maximumLabelHosts = 2 })
        for host in ["a", "b", "c", "d", "a"] { try await bench.get("https://\(host).example/") }
        func count(_ host: String) -> Int { bench.requests(["server.address": host]) }
        let counts: [Int] = ["a.example", "b.example", "other", "c.example"].map(count)
        #expect(counts == [2, 1, 2, 0])
        #expect(Set(bench.series.flatMap(\.labels).filter { $0.0 == "server.address" }.map(\.1)).count == 3)
    }

    @Test func `By default a hundred hosts are labeled, and the others share one label`() async throws {
        let bench = Bench(MockTransport { _ in .status(200) })
        for number in 0..<1000 { try await bench.get("https://host\(number).example/") }
        #expect(Set(bench.series.flatMap(\.labels).filter { $0.0 == "server.address" }.map(\.1)).count == 101)
        #expect(bench.requests(["server.address": "other"]) == 900)
    }

    @Test func `Hosts that match no pattern of labelHosts share one label`() async throws {
        let patterns = [try HostPattern("**.own.example")]
        let bench = Bench(MockTransport { _ in .status(200) }, telemetry: { $0.labelHosts = patterns })
        try await bench.get("https://api.own.example/")
        try await bench.get("https://foreign.example/")
        #expect(bench.requests(["server.address": "api.own.example"]) == 1)
        #expect(bench.requests(["server.address": "other"]) == 1)
        let others = bench.series.filter { $0.labels.contains { $0 == ("server.address", "other") } }
        #expect(!others.isEmpty && others.allSatisfy { !$0.labels.map(\.0).contains("server.port") })
    }

    @Test func `Non-standard methods share one label`() async throws {
        let bench = Bench(MockTransport { _ in .status(200) })
        for method in ["PURGE", "get", "BREW"] {
            _ = try await bench.client.request { request in
                request.url = "https://a.example/"
                request.setMethod(method)
            }
        }
        #expect(bench.requests(["http.request.method": "_OTHER"]) == 3)
    }

    @Test func `Labels contain no secret, path, query or header`() async throws {
        let bench = Bench(MockTransport { _ in .status(200).header(.location, "/secret") })
        _ = try await bench.client.request { request in
            request.url = "https://a.example/secret?secret=secret"
            request.setParameter(name: "secret", value: "secret")
            request.setHeader(name: "Authorization", value: "Bearer secret")
            request.post(contentType: "text/plain", body: "secret")
        }
        #expect(!bench.series.isEmpty)
        for (name, labels) in bench.series {
            #expect(!"\(name) \(labels)".contains("secret"))
        }
    }

    @Test func `Each metric always has the same label names if empty labels are recorded`() async throws {
        var change: (inout Telemetry) -> Void { { ($0.maximumLabelHosts, $0.recordsEmptyLabels) = (1, true) } }
        let bench = Bench(server, telemetry: change) { $0.redirects = .follow(limit: 3) }
        server.on(.get, "/start", .redirect(to: "https://b.example/end"))
        server.on(.get, "/end", .status(500))
        server.on(.get, "/broken", .fail(.timeout("too long")))
        try await bench.get("https://a.example/start")
        _ = try? await bench.get("https://a.example/broken")
        let series = Dictionary(grouping: bench.series, by: \.name)
        #expect(series["http.client.request.duration"]?.count == 3)
        for metrics in series.values {
            #expect(Set(metrics.map { $0.labels.map(\.0) }).count == 1)
        }
    }

    @Test func `Metric names can have a prefix`() async throws {
        let bench = Bench(MockTransport { _ in .status(200) }, telemetry: { $0.metricPrefix = "payments." })
        try await bench.get("https://a.example/")
        #expect(bench.durations(of: "payments.http.client.request.duration").count == 1)
        #expect(bench.series.allSatisfy { $0.name.hasPrefix("payments.http.client.") })
    }

    @Test func `The sizes of bodies are recorded, except those that are unknown`() async throws {
        server.on(.get, "/", .text("four"))
        server.on(.post, "/", .text("seven b"))
        let bench = Bench(server)
        try await bench.get("https://a.example/")
        let chunks = AsyncStream<Data> { continuation in
            continuation.yield(Data("chunk".utf8))
            continuation.finish()
        }
        try await withTemporaryDirectory { directory in
            let file = directory.appendingPathComponent("upload")
            try Data("a file".utf8).write(to: file)
            for body in [RequestBody.data(Data("body".utf8)), .file(file), .stream(BodyStream(chunks))] {
                _ = try await bench.client.request { request in
                    request.url = "https://a.example/"
                    request.setMethod(.post)
                    request.body = body
                }
            }
        }
        #expect(bench.sizes(of: "http.client.request.body.size").sorted() == [4, 6])
        let get: KeyValuePairs = ["http.request.method": "GET", "http.response.status_code": "200"]
        #expect(bench.sizes(of: "http.client.response.body.size", get) == [4])
        #expect(bench.sizes(of: "http.client.response.body.size", ["http.request.method": "POST"]) == [7, 7, 7])
    }

    @Test func `The size of a body is determined only if it is recorded`() async throws {
        var request = HttpRequest(url: "https://a.example/")
        request.setMethod(.post)
        request.body = .data(Data("body".utf8))
        let recorded = await RequestFacts(request, knownMethods: ["POST"], recordsBodySize: true)
        #expect(recorded?.bodySize == 4)
        let unrecorded = await RequestFacts(request, knownMethods: ["POST"], recordsBodySize: false)
        #expect(unrecorded?.method == "POST")
        #expect(unrecorded?.bodySize == nil)
    }

    @Test func `The size of a body is an attribute of spans without metrics`() async throws {
        let tracer = W3CTracer()
        var telemetry = Telemetry(metrics: nil, tracer: tracer)
        telemetry.optionalAttributes = [.bodySizes]
        let client = HttpClient.createClient { config in
            config.transport = MockTransport { _ in .status(200) }
            config.addTelemetry(telemetry)
        }
        _ = try await client.request { request in
            request.url = "https://a.example/"
            request.post(contentType: "text/plain", body: "body")
        }
        let span = try #require(tracer.spans.first)
        #expect(span.attribute("http.request.body.size") == "4")
    }

    @Test func `The template is a label of all metrics of requests, and of the duration if the app requests it`()
        async throws
    {
        func names(_ labels: Set<Telemetry.OptionalLabel>) async throws -> [Set<String>] {
            let bench = Bench(MockTransport { _ in .text("x") }, telemetry: { $0.optionalLabels = labels })
            _ = try await bench.client.request { request in
                request.url = "https://a.example/users/7"
                request.urlTemplate = "/users/{id}"
            }
            return ["url.scheme", "url.template"].map { label in
                Set(bench.series.filter { $0.labels.map(\.0).contains(label) }.map(\.name))
            }
        }
        let sizes: Set = ["http.client.active_requests", "http.client.response.body.size"]
        let all = sizes.union(["http.client.request.duration"])
        #expect(try await names([]) == [[], sizes])
        #expect(try await names([.urlTemplate]) == [[], all])
        #expect(try await names([.urlScheme]) == [all, sizes])
    }

    @Test func `Templates above the maximum share one label`() async throws {
        let change: (inout Telemetry) -> Void = { telemetry in
            telemetry.maximumLabelTemplates = 2
            telemetry.optionalLabels = [.urlTemplate]
        }
        let bench = Bench(MockTransport { _ in .text("x") }, telemetry: change)
        for template in ["/a", "/b", "/c", "/d", "/a"] {
            _ = try await bench.client.request { request in
                request.url = "https://a.example/"
                request.urlTemplate = template
            }
        }
        try await bench.get("https://a.example/")
        func count(_ template: String) -> Int { bench.requests(["url.template": template]) }
        let counts: [Int] = ["/a", "/b", "other", "/c"].map(count)
        #expect(counts == [2, 1, 2, 0])
        #expect(Set(bench.series.flatMap(\.labels).filter { $0.0 == "url.template" }.map(\.1)).count == 3)
    }

    /// The boundaries that the conventions recommend (version 1.44).
    @Test func `Each metric has a unit and, if it is a histogram, the recommended buckets`() {
        #expect(TelemetryMetric.all.map(\.unit) == ["s", "By", "By", "{request}", "s"])
        #expect(
            TelemetryMetric.all.map(\.buckets) == [
                [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10], [], [], nil,
                [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300],
            ]
        )
    }
}
