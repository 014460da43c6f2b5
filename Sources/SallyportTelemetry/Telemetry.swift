import CoreMetrics
import Sallyport
import Tracing

/// The metrics and spans that a client records with swift-metrics and swift-distributed-tracing; see
/// `HttpClientConfiguration.addTelemetry(_:)`.
///
/// The metrics have the names of OpenTelemetry's conventions for HTTP clients where these define one:
///
/// | metric | kind | measured value |
/// |---|---|---|
/// | `http.client.requests` | counter | requests that are sent, including each redirect and each retry |
/// | `http.client.request.duration` | timer | requests that are sent, from passing them to the transport to the end of the body |
/// | `http.client.active_requests` | meter | running requests |
/// | `http.client.call.duration` | timer | calls of the app, including all their requests |
/// | `http.client.phase.duration` | timer | phases of requests; label `http.client.phase`: `resolve`, `connect`, `tls` or `first_byte` |
/// | `http.client.open_connections` | meter | connections that are ready or in use |
/// | `http.client.connections.opened`, `….closed` | counters | connections |
/// | `http.client.waiting_requests` | meter | requests that wait for a connection |
/// | `http.client.network.io` | counter | bytes on the wire; label `network.io.direction`: `transmit` or `receive` |
///
/// All metrics have the labels `server.address` and `server.port`. `http.client.requests`, `http.client.request.duration` and
/// `http.client.call.duration` also have `http.request.method`, and `http.response.status_class` (such as `2xx`) and `error.type` (the
/// case of ``NetworkError``), one of which is empty. Labels never contain paths, queries or headers.
///
/// Only the engine reports the metrics of connections; `URLSessionTransport` and mocks do not.
///
/// The spans also follow the conventions: each request that is sent has a span of kind client with the method as its name, which is a
/// child of the caller's current span. Secrets in `url.full` are masked.
///
/// ```swift
/// var telemetry = Telemetry()
/// telemetry.propagationHosts = [try HostPattern("**.example.com")]
/// config.addTelemetry(telemetry)
/// ```
public struct Telemetry: Sendable {
    /// The prefix of the name of each metric, such as `payments.`. The default is empty.
    public var metricPrefix = ""

    /// The hosts whose names are used in labels; `nil` for all. The label of other hosts is `other`.
    public var labelHosts: [HostPattern]?

    /// The maximum number of servers whose names are used in labels. The default is 100. The label of further servers is `other`.
    ///
    /// Each server has about a dozen time series, and redirects can lead to any server.
    public var maximumLabelHosts = 100

    /// The hosts to which the trace context is sent; `nil` for all.
    ///
    /// The tracer determines the headers, such as `traceparent` and `tracestate` (W3C Trace Context) and `baggage`. Each request has its own
    /// span and headers, also after a redirect to another origin. Set your own hosts here to prevent the context, in particular baggage,
    /// from being sent to others.
    public var propagationHosts: [HostPattern]?

    private let metrics: (any MetricsFactory)?
    private let tracer: (any Tracer)?
    private let propagator: (any Instrument)?

    /// Creates telemetry that uses the bootstrapped tracer.
    ///
    /// - Parameter metrics: The factory of metrics. The default is the bootstrapped one; `nil` records no metrics.
    public init(metrics: (any MetricsFactory)? = MetricsSystem.factory) {
        self.metrics = metrics
        tracer = InstrumentationSystem.tracer
        propagator = InstrumentationSystem.instrument
    }

    /// Creates telemetry that uses a tracer, which also propagates its context.
    ///
    /// - Parameters:
    ///   - metrics: The factory of metrics. The default is the bootstrapped one; `nil` records no metrics.
    ///   - tracer: The tracer; `nil` creates no spans and propagates no context.
    public init(metrics: (any MetricsFactory)? = MetricsSystem.factory, tracer: (any Tracer)?) {
        self.metrics = metrics
        self.tracer = tracer
        propagator = tracer
    }

    /// Returns an observer that records the metrics of connections, for a transport that the app creates; `nil` if no metrics are recorded.
    /// `addTelemetry` sets it on a client's own transport.
    ///
    /// ```swift
    /// let engine = Engine(configuration: TransportConfiguration(observer: telemetry.transportObserver()))
    /// ```
    public func transportObserver() -> (any TransportObserver)? {
        factory.map { ConnectionMetrics($0) }
    }
}

extension Telemetry {
    /// A new metric factory for a client; `nil` if no metrics are recorded.
    var factory: MetricFactory? {
        guard let metrics, !(metrics is NOOPMetricsHandler) else { return nil }
        let servers = ServerNames(only: labelHosts, limit: maximumLabelHosts)
        return MetricFactory(factory: metrics, prefix: metricPrefix, servers: servers)
    }

    /// The tracer; `nil` if no spans are recorded.
    var tracing: RequestTracing? {
        guard let tracer, let propagator, !(propagator is NoOpInstrument), !(propagator is NoOpTracer) else {
            return nil
        }
        return RequestTracing(tracer: tracer, propagator: propagator, hosts: propagationHosts)
    }
}
