import Foundation
import Sallyport
import SallyportTesting
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct RequestMetricsTests {
    private let server = MockTransport()

    @Test func `Requests are counted and timed by host, method and status class`() async throws {
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

        func count(_ server: String, _ port: String, _ method: String, _ status: String) -> [Int64] {
            let labels: KeyValuePairs = [
                "server.address": server, "server.port": port, "http.request.method": method,
                "http.response.status_class": status, "error.type": "",
            ]
            let timers = ["http.client.request.duration", "http.client.call.duration"]
            return [bench.count("http.client.requests", labels)] + timers.map { Int64(bench.times($0, labels)) }
        }
        #expect(count("a.example", "443", "GET", "2xx") == [2, 2, 2])
        #expect(count("a.example", "443", "GET", "4xx") == [1, 1, 1])
        #expect(count("a.example", "443", "POST", "5xx") == [1, 1, 1])
        #expect(count("b.example", "8443", "GET", "2xx") == [1, 1, 1])
        #expect(bench.count("http.client.requests") == 5)
    }

    @Test(arguments: [
        (NetworkError.timeout("too long"), "timeout"), (.connectionFailed("refused"), "connectionFailed"),
        (.pinMismatch("another key"), "pinMismatch"), (.invalidResponse("none"), "invalidResponse"),
    ])
    func `Failed requests are counted by the kind of error`(error: NetworkError, kind: String) async {
        let bench = Bench(MockTransport { _ in .fail(error) })
        await expectError(\NetworkError.kind, error.kind) { try await bench.get("https://a.example/") }
        let labels: KeyValuePairs = [
            "error.type": kind, "http.response.status_class": "", "server.address": "a.example",
        ]
        #expect(bench.count("http.client.requests", labels) == 1)
        #expect(bench.times("http.client.request.duration", labels) == 1)
        #expect(bench.times("http.client.call.duration", labels) == 1)
        #expect(bench.count("http.client.requests") == 1)
    }

    @Test func `A redirected call counts a request for each host and one call for the first`() async throws {
        server.on(.get, "/start", .redirect(to: "https://b.example/end"))
        server.on(.get, "/end", .text("there"))
        let bench = Bench(server) { $0.redirects = .follow(limit: 3) }
        try await bench.get("https://a.example/start")
        #expect(
            bench.count("http.client.requests", ["server.address": "a.example", "http.response.status_class": "3xx"])
                == 1
        )
        #expect(
            bench.count("http.client.requests", ["server.address": "b.example", "http.response.status_class": "2xx"])
                == 1
        )
        #expect(bench.times("http.client.call.duration") == 1)
        #expect(bench.times("http.client.call.duration", ["server.address": "a.example"]) == 1)
    }

    @Test func `An invalid request counts as a failed call and not as a request`() async {
        let bench = Bench(server)
        await expectError(\NetworkError.kind, "invalidRequest") {
            try await bench.get("https://user:secret@a.example/")
        }
        #expect(bench.count("http.client.requests") == 0)
        #expect(bench.times("http.client.call.duration", ["error.type": "invalidRequest", "server.address": ""]) == 1)
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
        func count(_ host: String) -> Int64 { bench.count("http.client.requests", ["server.address": host]) }
        #expect([count("a.example"), count("b.example"), count("other"), count("c.example")] == [2, 1, 2, 0])
        #expect(Set(bench.series.flatMap(\.labels).filter { $0.0 == "server.address" }.map(\.1)).count == 3)
    }

    @Test func `By default a hundred hosts are labeled, and the others share one label`() async throws {
        let bench = Bench(MockTransport { _ in .status(200) })
        for number in 0..<1000 { try await bench.get("https://host\(number).example/") }
        #expect(Set(bench.series.flatMap(\.labels).filter { $0.0 == "server.address" }.map(\.1)).count == 101)
        #expect(bench.count("http.client.requests", ["server.address": "other"]) == 900)
    }

    @Test func `Hosts that match no pattern of labelHosts share one label`() async throws {
        let patterns = [try HostPattern("**.own.example")]
        let bench = Bench(MockTransport { _ in .status(200) }, telemetry: { $0.labelHosts = patterns })
        try await bench.get("https://api.own.example/")
        try await bench.get("https://foreign.example/")
        #expect(bench.count("http.client.requests", ["server.address": "api.own.example"]) == 1)
        #expect(bench.count("http.client.requests", ["server.address": "other", "server.port": ""]) == 1)
    }

    @Test func `Non-standard methods share one label`() async throws {
        let bench = Bench(MockTransport { _ in .status(200) })
        for method in ["PURGE", "get", "BREW"] {
            _ = try await bench.client.request { request in
                request.url = "https://a.example/"
                request.setMethod(method)
            }
        }
        #expect(bench.count("http.client.requests", ["http.request.method": "_OTHER"]) == 3)
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

    @Test func `Each metric always has the same label names`() async throws {
        let bench = Bench(server, telemetry: { $0.maximumLabelHosts = 1 }) { $0.redirects = .follow(limit: 3) }
        server.on(.get, "/start", .redirect(to: "https://b.example/end"))
        server.on(.get, "/end", .status(500))
        server.on(.get, "/broken", .fail(.timeout("too long")))
        try await bench.get("https://a.example/start")
        _ = try? await bench.get("https://a.example/broken")
        _ = try? await bench.get("no URL")
        let series = Dictionary(grouping: bench.series, by: \.name)
        #expect(series["http.client.requests"]?.count == 3)
        for metrics in series.values {
            #expect(Set(metrics.map { $0.labels.map(\.0) }).count == 1)
        }
    }

    @Test func `Metric names can have a prefix`() async throws {
        let bench = Bench(MockTransport { _ in .status(200) }, telemetry: { $0.metricPrefix = "payments." })
        try await bench.get("https://a.example/")
        #expect(bench.count("payments.http.client.requests") == 1)
        #expect(bench.series.allSatisfy { $0.name.hasPrefix("payments.http.client.") })
    }

    @Test func `The phases reported by the connection are timed`() async throws {
        let first = ConnectionFacts(
            resolve: .milliseconds(1),
            connect: .milliseconds(2),
            tls: .milliseconds(3),
            firstByte: .milliseconds(4)
        )
        let second = ConnectionFacts(isReused: true, firstByte: .milliseconds(5))
        server.on(.get, "/first", MockResponse(connection: first))
        server.on(.get, "/second", MockResponse(connection: second))
        let bench = Bench(server)
        try await bench.get("https://a.example/first")
        try await bench.get("https://a.example/second")
        func values(_ phase: String) -> [Int64] {
            let labels = [("http.client.phase", phase), ("server.address", "a.example")]
            return bench.metrics.timers(label: "http.client.phase.duration", dimensions: labels).flatMap(\.values)
        }
        #expect(values("resolve") == [1_000_000])
        #expect(values("connect") == [2_000_000])
        #expect(values("tls") == [3_000_000])
        #expect(values("first_byte") == [4_000_000, 5_000_000])
    }
}
