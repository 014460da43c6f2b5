import CoreMetrics
import Sallyport
import Tracing

/// The metrics and spans that a client records with swift-metrics and swift-distributed-tracing; see
/// `HttpClientConfiguration.addTelemetry(_:)`.
///
/// All names follow OpenTelemetry's semantic conventions for HTTP clients, version 1.44. Nothing is exported: the backends with which the
/// app bootstraps the systems receive the metrics and spans. <doc:Metrics-and-Spans> lists the attributes.
///
/// | metric | kind | measured value |
/// |---|---|---|
/// | `http.client.request.duration` | timer | the time from passing a request to the transport to the end of the response's body |
/// | `http.client.request.body.size` | recorder | the bytes of a request's body, if it has one of known size and was answered |
/// | `http.client.response.body.size` | recorder | the bytes of a response's body, if it was received completely and not decoded |
/// | `http.client.active_requests` | meter | running requests |
/// | `http.client.connection.duration` | timer | the time from when a connection is ready for its first request until it is closed |
///
/// All metrics have the labels `server.address` and `server.port`. All metrics of requests have `http.request.method`. Metrics of requests
/// that have ended also have `http.response.status_code`, `network.protocol.version` and, only on errors, `error.type`: the status, or the
/// case of ``NetworkError``, such as `timeout`. Labels never contain paths, queries or headers. ``TelemetryMetric`` states the units and
/// the recommended buckets.
///
/// Each request that is sent, including redirects and retries, has a span of kind client. The span is a child of the caller's current span.
/// Its name is the method, followed by ``HttpRequest/urlTemplate`` if there is one. Secrets in `url.full` are replaced with `REDACTED`. A
/// request ends with the body of its response. If the app does not read a streamed body, it ends when the app releases the body.
///
/// Only the engine reports the duration of connections; `URLSessionTransport` and mocks do not.
///
/// ```swift
/// var telemetry = Telemetry()
/// telemetry.propagationHosts = [try HostPattern("**.example.com")]
/// telemetry.recordsPhases = true
/// config.addTelemetry(telemetry)
/// ```
public struct Telemetry: Sendable {
    /// An attribute of spans that OpenTelemetry's conventions leave to the app.
    public enum OptionalAttribute: Sendable, Hashable, CaseIterable {
        /// `url.scheme`.
        case urlScheme
        /// `url.template`, which is also part of the span's name.
        case urlTemplate
        /// `user_agent.original`.
        case userAgent
        /// `http.request.body.size` and `http.response.body.size`, under the conditions of the metrics with these sizes.
        case bodySizes
    }

    /// A label of metrics that OpenTelemetry's conventions leave to the app.
    public enum OptionalLabel: Sendable, Hashable, CaseIterable {
        /// `url.scheme`, for the metrics of requests.
        case urlScheme
        /// `url.template`, for `http.client.request.duration`; other metrics of requests always have it.
        case urlTemplate
    }

    /// The prefix of the name of each metric, such as `payments.`. The default is empty.
    public var metricPrefix = ""

    /// The hosts whose names are used in labels; `nil` for all. The label of other hosts is `other`.
    public var labelHosts: [HostPattern]?

    /// The maximum number of servers whose names are used in labels. The default is 100. The label of further servers is `other`.
    ///
    /// Each server has several time series, and redirects can lead to any server.
    public var maximumLabelHosts = 100

    /// The maximum number of templates that are used in labels. The default is 100. The label of requests with further templates is
    /// `other`.
    ///
    /// Each template has several time series for each server. Spans always have the template of their request.
    public var maximumLabelTemplates = 100

    /// The labels that are recorded in addition. The default is none.
    public var optionalLabels: Set<OptionalLabel> = []

    /// A Boolean value that indicates whether labels without a value are recorded as empty, instead of omitted. The default is `false`.
    ///
    /// Set it for a backend that requires all metrics of a name to have the same labels.
    public var recordsEmptyLabels = false

    /// The attributes of spans that are recorded in addition. The default is `url.template`.
    public var optionalAttributes: Set<OptionalAttribute> = [.urlTemplate]

    /// The names of the request headers that spans contain, as `http.request.header.<name>`. The default is none.
    ///
    /// Secrets, such as `Authorization`, are replaced with `REDACTED`. A name that is not valid is ignored.
    public var requestHeaders: [String] = []

    /// The names of the response headers that spans contain, as `http.response.header.<name>`. The default is none.
    ///
    /// Secrets are replaced with `REDACTED`: `Set-Cookie`, for example, and secrets of the request that the server repeats. An invalid name
    /// is ignored.
    public var responseHeaders: [String] = []

    /// A Boolean value that indicates whether the phases of opening a connection have spans: `resolve`, `connect` and `tls`. The default is
    /// `false`.
    ///
    /// They are children of the span of the first request on the connection, and begin before it if the connection was opened for
    /// another request. Only the engine reports phases, and only for requests that receive a response.
    public var recordsPhases = false

    /// The methods that `http.request.method` may contain; others are recorded as `_OTHER`. Names are case-sensitive.
    ///
    /// By default, they are the methods of RFC 9110, `PATCH` and `QUERY`.
    public var knownMethods: Set<String> = [
        "CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "QUERY", "TRACE",
    ]

    /// The hosts to which the trace context is sent; `nil` for all.
    ///
    /// The tracer determines the headers, such as `traceparent` and `tracestate` (W3C Trace Context) and `baggage`. Each request has its
    /// own span and headers, even after a redirect to another origin. Set your own hosts here to prevent the context, in particular
    /// baggage, from being sent to others.
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
    /// `addTelemetry` sets it on a client's own transport, except on Apple platforms, where `URLSession` has no connections to observe.
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
        return MetricFactory(
            factory: metrics,
            prefix: metricPrefix,
            servers: servers,
            templates: LabelValues(limit: maximumLabelTemplates),
            recordsEmptyLabels: recordsEmptyLabels
        )
    }

    /// The tracer; `nil` if no spans are recorded.
    var tracing: RequestTracing? {
        guard let tracer, let propagator, !(propagator is NoOpInstrument), !(propagator is NoOpTracer) else {
            return nil
        }
        let options = SpanOptions(
            attributes: optionalAttributes,
            requestHeaders: requestHeaders,
            responseHeaders: responseHeaders,
            recordsPhases: recordsPhases
        )
        return RequestTracing(tracer: tracer, propagator: propagator, hosts: propagationHosts, options: options)
    }
}

/// The options of spans; see ``Telemetry``.
struct SpanOptions: Sendable {
    var attributes: Set<Telemetry.OptionalAttribute> = [.urlTemplate]
    var requestHeaders: [String] = []
    var responseHeaders: [String] = []
    var recordsPhases = false
}
