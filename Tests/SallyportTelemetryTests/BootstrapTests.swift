import CoreMetrics
import MetricsTestKit
import SallyportTelemetry
import SallyportTesting
import TestSupport
import Testing
import Tracing

@testable import Sallyport

@Suite(.concurrencyLimited) struct BootstrapTests {
    private let server = MockTransport { _ in .status(200) }

    #if canImport(Darwin)
    private static let connectionObservers = 0
    #else
    private static let connectionObservers = 1
    #endif

    private func stages(_ telemetry: @autoclosure () -> Telemetry) -> [Int] {
        var config = HttpClientConfiguration()
        config.addTelemetry(telemetry())
        let observers = config.transportConfiguration.observer == nil ? 0 : 1
        return [config.interceptors.count, config.wireInterceptors.count, observers]
    }

    @Test func `Telemetry without a bootstrapped backend adds nothing to a client`() {
        #expect(stages(Telemetry()) == [0, 0, 0])
        #expect(stages(Telemetry(metrics: nil, tracer: nil)) == [0, 0, 0])
        #expect(stages(Telemetry(metrics: NOOPMetricsHandler.instance, tracer: NoOpTracer())) == [0, 0, 0])
        #expect(Telemetry().transportObserver() == nil)
    }

    @Test func `Metrics and tracing can be added separately`() {
        #expect(stages(Telemetry(metrics: TestMetrics(), tracer: nil)) == [1, 1, Self.connectionObservers])
        #expect(stages(Telemetry(metrics: nil, tracer: W3CTracer())) == [1, 1, 0])
    }

    @Test func `The bootstrapped metrics factory and tracer are used by default`() async throws {
        let (metrics, tracer) = (TestMetrics(), W3CTracer())
        let client = withMetricsFactory(metrics) {
            withTracer(tracer) {
                HttpClient.createClient { config in
                    config.transport = server
                    config.addTelemetry()
                }
            }
        }
        _ = try await client.request { $0.url = "https://a.example/" }
        #expect(metrics.timers(label: "http.client.request.duration").flatMap(\.values).count == 1)
        #expect(tracer.spans.count == 1)
        #expect(server.requests.first?.header("traceparent") == tracer.spans.first?.traceparent)
    }

    @Test func `Without a tracer requests have no trace context`() async throws {
        let client = HttpClient.createClient { config in
            config.transport = server
            config.addTelemetry(Telemetry(metrics: TestMetrics(), tracer: nil))
        }
        _ = try await client.request { $0.url = "https://a.example/" }
        #expect(server.requests.first?.header("traceparent") == nil)
    }
}
