/// A metric that ``Telemetry`` records, with the properties that swift-metrics does not pass to its backend.
///
/// A backend that supports units and bucket boundaries can be configured with them:
///
/// ```swift
/// for metric in TelemetryMetric.all {
///     if let buckets = metric.buckets { print(metric.name, metric.unit, buckets) }
/// }
/// ```
public struct TelemetryMetric: Sendable, Hashable {
    /// The name, without the prefix of ``Telemetry/metricPrefix``.
    public let name: String

    /// The unit in UCUM: `s`, `By`, or a noun in braces for a number of things.
    public let unit: String

    /// The upper boundaries of the buckets that OpenTelemetry's conventions recommend for the histogram, in ``unit``.
    ///
    /// It is empty if the conventions recommend no buckets for the histogram, and `nil` if the metric is not a histogram.
    public let buckets: [Double]?
}
