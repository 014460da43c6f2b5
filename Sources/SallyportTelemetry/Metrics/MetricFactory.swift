import CoreMetrics
import Sallyport
import SallyportStorage

/// Creates the instruments of a client and the server names in their labels.
struct MetricFactory: Sendable {
    let factory: any MetricsFactory
    let prefix: String
    let servers: ServerNames

    func counter(_ name: String, _ labels: [(String, String)]) -> Counter {
        Counter(label: prefix + name, dimensions: labels, factory: factory)
    }

    func meter(_ name: String, _ labels: [(String, String)]) -> Meter {
        Meter(label: prefix + name, dimensions: labels, factory: factory)
    }

    func timer(_ name: String, _ labels: [(String, String)]) -> Timer {
        Timer(label: prefix + name, dimensions: labels, preferredDisplayUnit: .seconds, factory: factory)
    }
}

/// Instruments that are created on first use and cached.
final class Instruments<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private let made = Locked<[Key: Value]>([:])
    private let make: @Sendable (Key) -> Value

    init(_ make: @escaping @Sendable (Key) -> Value) {
        self.make = make
    }

    subscript(key: Key) -> Value {
        made.withLock { made in
            if let value = made[key] { return value }
            let value = make(key)
            made[key] = value
            return value
        }
    }
}

extension Timer {
    func record(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        recordNanoseconds(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
    }
}
