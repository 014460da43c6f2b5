import CoreMetrics
import Sallyport
import SallyportStorage

/// Creates the instruments of a client.
struct MetricFactory: Sendable {
    let factory: any MetricsFactory
    let prefix: String
    let servers: ServerNames
    let templates: LabelValues<String>

    /// A Boolean value that indicates whether labels without a value are recorded as empty.
    let recordsEmptyLabels: Bool

    func meter(_ metric: TelemetryMetric, _ labels: [(String, String?)]) -> Meter {
        Meter(label: prefix + metric.name, dimensions: dimensions(labels), factory: factory)
    }

    func recorder(_ metric: TelemetryMetric, _ labels: [(String, String?)]) -> Recorder {
        Recorder(label: prefix + metric.name, dimensions: dimensions(labels), factory: factory)
    }

    func timer(_ metric: TelemetryMetric, _ labels: [(String, String?)]) -> Timer {
        Timer(
            label: prefix + metric.name,
            dimensions: dimensions(labels),
            preferredDisplayUnit: .seconds,
            factory: factory
        )
    }

    private func dimensions(_ labels: [(String, String?)]) -> [(String, String)] {
        labels.compactMap { name, value in
            if let value { return (name, value) }
            return recordsEmptyLabels ? (name, "") : nil
        }
    }
}

/// A cache of instruments, which are created on first use.
final class Instruments<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private let cache = Locked<[Key: Value]>([:])
    private let make: @Sendable (Key) -> Value

    init(_ make: @escaping @Sendable (Key) -> Value) {
        self.make = make
    }

    subscript(key: Key) -> Value {
        cache.withLock { cache in
            if let value = cache[key] { return value }
            let value = make(key)
            cache[key] = value
            return value
        }
    }
}

extension Timer {
    func record(_ duration: Duration) {
        recordNanoseconds(duration.nanoseconds)
    }
}
