import SallyportStorage

/// The values of a label. Their number is limited, because each has its own time series.
final class LabelValues<Value: Hashable & Sendable>: Sendable {
    private let limit: Int
    private let values = Locked<Set<Value>>([])

    /// - Parameter limit: The maximum number of values.
    init(limit: Int) {
        self.limit = limit
    }

    /// Returns `true` for the values that are passed first, up to the limit, and `false` for all others.
    func allows(_ value: Value) -> Bool {
        values.withLock { values in
            if values.contains(value) { return true }
            guard values.count < limit else { return false }
            values.insert(value)
            return true
        }
    }
}
