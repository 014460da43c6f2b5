import MetricsTestKit
import Sallyport
import SallyportTelemetry
import SallyportTesting

/// A client, and what records its metrics and spans.
struct Bench {
    let metrics = TestMetrics()
    let tracer: W3CTracer
    let client: HttpClient

    /// - Parameter transport: The transport, or `nil` for the platform's default.
    init(
        _ transport: (any Transport)? = nil,
        tracer: W3CTracer = W3CTracer(),
        telemetry change: (inout Telemetry) -> Void,
        _ configure: (inout HttpClientConfiguration) -> Void = { _ in }
    ) {
        var telemetry = Telemetry(metrics: metrics, tracer: tracer)
        change(&telemetry)
        self.tracer = tracer
        client = HttpClient.createClient { config in
            config.transport = transport
            configure(&config)
            config.addTelemetry(telemetry)
        }
    }

    init(
        _ transport: (any Transport)? = nil,
        tracer: W3CTracer = W3CTracer(),
        _ configure: (inout HttpClientConfiguration) -> Void = { _ in }
    ) {
        self.init(transport, tracer: tracer, telemetry: { _ in }, configure)
    }

    @discardableResult
    func get(_ url: String) async throws -> HttpResponse {
        try await client.request { $0.url = url }
    }

    /// Returns the number of requests with some labels that were recorded.
    func requests(_ labels: KeyValuePairs<String, String> = [:]) -> Int {
        durations(of: "http.client.request.duration", labels).count
    }

    /// Returns the values of a timer in nanoseconds.
    func durations(of name: String, _ labels: KeyValuePairs<String, String> = [:]) -> [Int64] {
        metrics.timers(label: name, dimensions: labels.map { ($0, $1) }).flatMap(\.values)
    }

    /// Returns the values of a recorder.
    func sizes(of name: String, _ labels: KeyValuePairs<String, String> = [:]) -> [Double] {
        metrics.recorders(label: name, dimensions: labels.map { ($0, $1) }).flatMap(\.values)
    }

    /// The values of a meter, over time.
    func levels(_ name: String) -> [Double] {
        metrics.meters(label: name).flatMap(\.values)
    }

    /// Each metric's name with its labels.
    var series: [(name: String, labels: [(String, String)])] {
        metrics.recorders.map { ($0.label, $0.dimensions) } + metrics.timers.map { ($0.label, $0.dimensions) }
            + metrics.meters.map { ($0.label, $0.dimensions) }
    }
}
