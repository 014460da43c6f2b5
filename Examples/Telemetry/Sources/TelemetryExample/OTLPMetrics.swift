import CoreMetrics
import Foundation
import SallyportTelemetry
import Synchronization

/// A backend of swift-metrics that sums the values of each metric until they are exported.
final class OTLPMetrics: MetricsFactory {
    private let series = Mutex<[Series]>([])
    private let start = Date()

    /// Returns the current values.
    func read() -> [MetricReading] {
        let (start, end) = (start.nanoseconds, Date().nanoseconds)
        return series.withLock { series in series.map { $0.reading(from: start, to: end) } }
    }

    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler { add(label, dimensions) }

    func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler { add(label, dimensions) }

    func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        add(label, dimensions)
    }

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler { add(label, dimensions) }

    func makeFloatingPointCounter(
        label: String,
        dimensions: [(String, String)]
    ) -> any FloatingPointCounterHandler { add(label, dimensions) }

    // The example exports once, at its end, so nothing is destroyed before.
    func destroyTimer(_ handler: any TimerHandler) {}
    func destroyMeter(_ handler: any MeterHandler) {}
    func destroyRecorder(_ handler: any RecorderHandler) {}
    func destroyCounter(_ handler: any CounterHandler) {}
    func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {}

    private func add(_ label: String, _ dimensions: [(String, String)]) -> Series {
        // swift-metrics passes no units and buckets, so they come from the SDK's list.
        let series = Series(label, dimensions, TelemetryMetric.all.first { $0.name == label })
        self.series.withLock { $0.append(series) }
        return series
    }
}

/// The values of a metric with the same labels.
private final class Series: TimerHandler, MeterHandler, RecorderHandler, CounterHandler, FloatingPointCounterHandler {
    private struct State: Sendable {
        var count = 0
        var sum = 0.0
        var buckets: [Int]
    }

    private let name: String
    private let unit: String
    /// The boundaries of a histogram; `nil` for a sum.
    private let bounds: [Double]?
    private let attributes: [OTLPAttribute]
    private let state: Mutex<State>

    init(_ name: String, _ labels: [(String, String)], _ metric: TelemetryMetric?) {
        self.name = name
        unit = metric?.unit ?? ""
        bounds = metric?.buckets
        // Labels are texts in swift-metrics. The conventions define these as integers.
        let integers: Set = ["server.port", "http.response.status_code"]
        attributes = labels.map { name, value in
            let number = integers.contains(name) ? Int64(value) : nil
            return OTLPAttribute(name, number.map { .int($0) } ?? .string(value))
        }
        state = Mutex(State(buckets: Array(repeating: 0, count: (metric?.buckets?.count ?? 0) + 1)))
    }

    func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }
    func record(_ value: Int64) { record(Double(value)) }

    func record(_ value: Double) {
        let bucket = bounds?.firstIndex { value <= $0 } ?? bounds?.count ?? 0
        state.withLock { state in
            state.count += 1
            state.sum += value
            state.buckets[bucket] += 1
        }
    }

    func set(_ value: Int64) { set(Double(value)) }
    func set(_ value: Double) { state.withLock { $0.sum = value } }
    func increment(by amount: Int64) { increment(by: Double(amount)) }
    func increment(by amount: Double) { state.withLock { $0.sum += amount } }
    func decrement(by amount: Double) { increment(by: -amount) }
    func reset() { set(0.0) }

    func reading(from start: String, to end: String) -> MetricReading {
        let state = state.withLock { $0 }
        var point = MetricReading.Point(attributes: attributes, startTimeUnixNano: start, timeUnixNano: end)
        guard let bounds else {
            point.asDouble = state.sum
            return MetricReading(name: name, unit: unit, sum: .init(dataPoints: [point], isMonotonic: false))
        }
        (point.count, point.sum) = ("\(state.count)", state.sum)
        (point.bucketCounts, point.explicitBounds) = (state.buckets.map { "\($0)" }, bounds)
        return MetricReading(name: name, unit: unit, histogram: .init(dataPoints: [point]))
    }
}

/// A metric as it is exported. The names of the members are those of the protocol.
struct MetricReading: Encodable {
    struct Data: Encodable {
        let dataPoints: [Point]
        /// The values since the start of the process.
        var aggregationTemporality = 2
        var isMonotonic: Bool?
    }

    struct Point: Encodable {
        let attributes: [OTLPAttribute]
        let startTimeUnixNano: String
        let timeUnixNano: String
        var count: String?
        var sum: Double?
        var bucketCounts: [String]?
        var explicitBounds: [Double]?
        var asDouble: Double?
    }

    let name: String
    let unit: String
    var histogram: Data?
    var sum: Data?
}

extension Date {
    /// The time since 1970 in nanoseconds, as 64-bit integers are written in the JSON of protocol buffers.
    fileprivate var nanoseconds: String { "\(UInt64(timeIntervalSince1970 * 1e9))" }
}
