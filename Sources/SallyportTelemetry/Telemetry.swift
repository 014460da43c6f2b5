import CoreMetrics
import Sallyport
import Tracing

/// What a client tells swift-metrics and swift-distributed-tracing of its calls, once it is given to
/// `HttpClientConfiguration.addTelemetry(_:)`.
///
/// The metrics have the names of OpenTelemetry's conventions for HTTP clients, where there are some:
///
/// | metric | kind | of |
/// |---|---|---|
/// | `http.client.requests` | counter | each request on the wire, so each redirect and each repeated attempt too |
/// | `http.client.request.duration` | timer | the same, from its way to the transport to the end of its body |
/// | `http.client.active_requests` | meter | those under way |
/// | `http.client.call.duration` | timer | each call of the app, with all that it leads to |
/// | `http.client.phase.duration` | timer | `http.client.phase`: `resolve`, `connect`, `tls` and `first_byte` |
/// | `http.client.open_connections` | meter | connections that are ready or in use |
/// | `http.client.connections.opened`, `….closed` | counters | connections |
/// | `http.client.waiting_requests` | meter | requests that wait for a connection |
/// | `http.client.network.io` | counter | bytes on the wire; `network.io.direction`: `transmit` and `receive` |
///
/// All have the labels `server.address` and `server.port`. The first two and calls have `http.request.method`,
/// `http.response.status_class` (such as `2xx`) and `error.type` (the case of ``NetworkError``); of the last two the
/// one that does not apply is empty. No label has a path, a query or a header in it. The last five lines come from the
/// engine: `URLSessionTransport` and mocks do not tell of their connections.
///
/// The spans are those of the conventions too: one of the kind client for each request on the wire, named by its
/// method, a child of the span that is current where the call is made. Secrets in its `url.full` are masked.
///
/// ```swift
/// var telemetry = Telemetry()
/// telemetry.propagationHosts = [try HostPattern("**.example.com")]
/// config.addTelemetry(telemetry)
/// ```
public struct Telemetry: Sendable {
    /// What stands before the name of each metric, such as `payments.`; nothing, unless set.
    public var metricPrefix = ""

    /// The hosts that may be named in labels; every one, unless set. Others are `other`.
    public var labelHosts: [HostPattern]?

    /// How many different servers are named in labels; 100 unless set. Those that come later are `other`.
    ///
    /// Each server makes about a dozen time series, and a redirect can lead anywhere.
    public var maximumLabelHosts = 100

    /// The hosts that are told of the trace that a request belongs to; every one, unless set.
    ///
    /// The tracer decides which headers those are, such as `traceparent` and `tracestate` (W3C Trace Context) and
    /// `baggage`. Each request has a span and so headers of its own, after a redirect to a foreign origin too. To keep
    /// what your tracer sends, baggage above all, within your own house, name your hosts here.
    public var propagationHosts: [HostPattern]?

    private let metrics: (any MetricsFactory)?
    private let tracer: (any Tracer)?
    private let propagator: (any Instrument)?

    /// Uses what has been bootstrapped: the metrics factory given, the system's unless given, and the system's tracer.
    ///
    /// - Parameter metrics: Where to record metrics; `nil` records none.
    public init(metrics: (any MetricsFactory)? = MetricsSystem.factory) {
        self.metrics = metrics
        tracer = InstrumentationSystem.tracer
        propagator = InstrumentationSystem.instrument
    }

    /// Uses a tracer, which sends its context as well.
    ///
    /// - Parameters:
    ///   - metrics: Where to record metrics, the system's factory unless given; `nil` records none.
    ///   - tracer: What makes the spans; `nil` makes none and sends no context.
    public init(metrics: (any MetricsFactory)? = MetricsSystem.factory, tracer: (any Tracer)?) {
        self.metrics = metrics
        self.tracer = tracer
        propagator = tracer
    }

    /// What records the metrics of connections, for a transport that is made by the app: a client's own transport is
    /// given it by `addTelemetry`. `nil` where no metrics are recorded.
    ///
    /// ```swift
    /// let engine = Engine(configuration: TransportConfiguration(observer: telemetry.transportObserver()))
    /// ```
    public func transportObserver() -> (any TransportObserver)? {
        factory.map { ConnectionMetrics($0) }
    }
}

extension Telemetry {
    /// What makes the metrics of one client; `nil` where they would go nowhere.
    var factory: MetricFactory? {
        guard let metrics, !(metrics is NOOPMetricsHandler) else { return nil }
        let servers = ServerNames(only: labelHosts, limit: maximumLabelHosts)
        return MetricFactory(factory: metrics, prefix: metricPrefix, servers: servers)
    }

    /// What makes spans; `nil` where they would go nowhere.
    var tracing: RequestTracing? {
        guard let tracer, let propagator, !(propagator is NoOpInstrument), !(propagator is NoOpTracer) else {
            return nil
        }
        return RequestTracing(tracer: tracer, propagator: propagator, hosts: propagationHosts)
    }
}
