import Foundation
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
            #expect(span.attribute("url.full") == "http://\(server.authority)/path?token=REDACTED")
            bench.client.close()
        }
    }

    @Test func `A cache stores a streamed body before decoding, also with telemetry`() async throws {
        // `first ` a hundred times, compressed with gzip.
        let compressed = Data(base64Encoded: "H4sIAAAAAAACA0vLLCouUUgbJUdJqpIAr/XQ01gCAAA=")!
        let head =
            "HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nContent-Encoding: gzip\r\n"
            + "Content-Length: \(compressed.count)\r\n\r\n"
        try await withScriptedServer([[.receiveRequest, .send(head), .sendBytes(Array(compressed))]]) { server in
            let storage = MemoryCacheStorage()
            let bench = Bench { $0.cache = HttpCache(storage: storage) }
            for _ in 0..<2 {
                let body = try await bench.client.stream({ $0.url = "http://\(server.authority)/" }) { response in
                    var body = Data()
                    for try await chunk in response.bodyStream { body += chunk }
                    return body
                }
                #expect(body.count == 600)
            }
            let entry = await storage.allEntries().first
            #expect(entry?.bodyLength == Int64(compressed.count))
            #expect(bench.tracer.spans.count == 1)
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
                bench.requests(["error.type": "connectionFailed", "server.port": "\(port)"]) == 1
            )
            #expect(bench.durations(of: "http.client.connection.duration").isEmpty)
            #expect(bench.levels("http.client.active_requests") == [1, 0])
        }
    }

    @Test func `The duration of a connection is recorded when it is closed`() async throws {
        try await withScriptedServer([[.repeating([.receiveRequest, .send(answer)], times: 3)]]) { server in
            let bench = Bench()
            for _ in 0..<3 { try await bench.get("http://\(server.authority)/") }
            #expect(bench.durations(of: "http.client.connection.duration").isEmpty)
            await bench.client.shutdown(grace: .seconds(5))
            let labels: KeyValuePairs = ["server.address": "127.0.0.1", "server.port": "\(server.port)"]
            let durations = bench.durations(of: "http.client.connection.duration", labels)
            #expect(durations.count == 1)
            #expect(durations.allSatisfy { $0 > 0 && $0 < 60_000_000_000 })
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
            await bench.client.shutdown(grace: .seconds(5))
            #expect(bench.durations(of: "http.client.connection.duration").count == 1)
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
            await client.shutdown(grace: .seconds(5))
            await engine.shutdown(grace: .seconds(5))
            #expect(metrics.timers(label: "http.client.connection.duration").flatMap(\.values).count == 1)
            #expect(metrics.timers(label: "http.client.request.duration").flatMap(\.values).count == 1)
        }
    }
}
