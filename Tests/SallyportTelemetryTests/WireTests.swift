import MetricsTestKit
import Sallyport
import SallyportEngine
import SallyportTelemetry
import TestSupport
import Testing

/// Tests with real connections and the platform's default transport.
@Suite(.concurrencyLimited) struct WireTests {
    private let answer = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"

    @Test func `The server receives the context of the request's span`() async throws {
        try await withScriptedServer([[.receiveRequest, .send(answer)]]) { server in
            let bench = Bench()
            try await bench.get("http://\(server.authority)/path?token=hidden")
            let span = try #require(bench.tracer.spans.first)
            let request = try #require(server.requests.first)
            #expect(request["traceparent"] == [span.traceparent])
            #expect(request["tracestate"] == ["vendor=1"])
            #expect(span.attribute("network.protocol.version") == "1.1")
            #expect(span.attribute("server.address") == "127.0.0.1")
            #expect(span.attribute("server.port") == "\(server.port)")
            #expect(span.attribute("url.full") == "http://\(server.authority)/path?token=***")
            bench.client.close()
        }
    }

    @Test func `A refused connection is an error in the span and the metrics`() async throws {
        try await withSilentPort { port in
            let bench = Bench()
            await expectError(\NetworkError.kind, "connectionFailed") {
                try await bench.get("http://127.0.0.1:\(port)/")
            }
            let span = try #require(bench.tracer.spans.first)
            #expect(span.attribute("error.type") == "connectionFailed")
            #expect(span.attribute("http.response.status_code") == nil)
            #expect(span.status?.code == .error)
            #expect(
                bench.count("http.client.requests", ["error.type": "connectionFailed", "server.port": "\(port)"]) == 1
            )
            #expect(bench.levels("http.client.open_connections").isEmpty)
            #expect(bench.levels("http.client.waiting_requests") == [1, 0])
        }
    }

    @Test func `Open connections are counted up and down, and their bytes in both directions`() async throws {
        try await withScriptedServer([[.repeating([.receiveRequest, .send(answer)], times: 3)]]) { server in
            let bench = Bench()
            for _ in 0..<3 { try await bench.get("http://\(server.authority)/") }
            #expect(bench.levels("http.client.open_connections") == [1])
            await bench.client.shutdown(grace: .seconds(5))
            #expect(bench.levels("http.client.open_connections") == [1, 0])
            #expect(bench.count("http.client.connections.opened", ["server.port": "\(server.port)"]) == 1)
            #expect(bench.count("http.client.connections.closed") == 1)
            let sent = try await server.connection(0).receivedText.utf8.count
            #expect(bench.count("http.client.network.io", ["network.io.direction": "transmit"]) == sent)
            let received = Int64(3 * answer.utf8.count)
            #expect(bench.count("http.client.network.io", ["network.io.direction": "receive"]) == received)
        }
    }

    @Test func `Each phase of a TLS connection is timed, and only for new connections`() async throws {
        let authority = try TestAuthority()
        let tls = ServerTLS(identity: try authority.serverIdentity())
        let script: Script = [.repeating([.receiveRequest, .send(answer)], times: 2)]
        try await withScriptedServer([script], tls: tls) { server in
            let bench = Bench {
                $0.transportConfiguration.security.trustRoots = .pem(authority.certificatePEM)
            }
            for _ in 0..<2 { try await bench.get("https://\(server.authority)/") }
            func times(_ phase: String) -> Int {
                bench.times("http.client.phase.duration", ["http.client.phase": phase])
            }
            #expect([times("connect"), times("tls"), times("first_byte")] == [1, 1, 2])
            let first = bench.metrics.timers(label: "http.client.phase.duration").flatMap(\.values)
            #expect(first.allSatisfy { $0 > 0 && $0 < 10_000_000_000 })
            bench.client.close()
        }
    }

    @Test func `An observer set by the app is also notified`() async throws {
        struct Observer: TransportObserver {
            let opened = Watched(0)
            let sent = Watched(0)
            let received = Watched(0)
            func connectionOpened(to server: ServerOrigin) { opened.update { $0 += 1 } }
            func sent(bytes: Int, to server: ServerOrigin) { sent.update { $0 += bytes } }
            func received(bytes: Int, from server: ServerOrigin) { received.update { $0 += bytes } }
        }
        try await withScriptedServer([[.receiveRequest, .send(answer)]]) { server in
            let own = Observer()
            let bench = Bench { $0.transportConfiguration.observer = own }
            try await bench.get("http://\(server.authority)/")
            #expect(own.opened.value == 1)
            #expect(own.sent.value > 0)
            #expect(own.received.value == answer.utf8.count)
            #expect(bench.levels("http.client.open_connections") == [1])
            bench.client.close()
        }
    }

    @Test func `A transport created by the app can be observed`() async throws {
        try await withScriptedServer([[.receiveRequest, .send(answer)]]) { server in
            let metrics = TestMetrics()
            let telemetry = Telemetry(metrics: metrics, tracer: nil)
            let engine = Engine(configuration: TransportConfiguration(observer: telemetry.transportObserver()))
            let client = HttpClient.createClient { config in
                config.transport = engine
                config.addTelemetry(telemetry)
            }
            _ = try await client.request { $0.url = "http://\(server.authority)/" }
            #expect(metrics.counterTotal(label: "http.client.connections.opened") == 1)
            #expect(metrics.counterTotal(label: "http.client.requests") == 1)
            client.close()
        }
    }

    private struct Waits: TransportObserver {
        let count = Watched(0)

        func waitingExchanges(changedBy change: Int, for server: ServerOrigin) {
            if change > 0 { count.update { $0 += change } }
        }
    }

    @Test func `Requests waiting for a connection are counted until they have one`() async throws {
        let (arrived, proceed) = (Signal(), Signal())
        let script: Script = [
            .receiveRequest, .fire(arrived), .waitFor(proceed), .send(answer), .receiveRequest, .send(answer),
        ]
        try await withScriptedServer([script]) { server in
            let waits = Waits()
            let bench = Bench { config in
                config.transportConfiguration.connections.perHost = 1
                config.transportConfiguration.observer = waits
            }
            async let first = bench.get("http://\(server.authority)/")
            try await arrived.wait()
            async let second = bench.get("http://\(server.authority)/")
            try await waits.count.wait("the second request to wait") { $0 == 2 }
            proceed.fire()
            _ = try await (first, second)
            let levels = bench.levels("http.client.waiting_requests")
            #expect(levels.count == 4)
            #expect(levels.last == 0)
            #expect(bench.levels("http.client.active_requests").max() == 2)
            #expect(bench.levels("http.client.active_requests").last == 0)
            bench.client.close()
        }
    }
}
