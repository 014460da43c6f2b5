import CoreMetrics
import Sallyport
import SallyportStorage

/// Creates the instruments of a client.
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
        let (seconds, attoseconds) = duration.components
        recordNanoseconds(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
    }
}
