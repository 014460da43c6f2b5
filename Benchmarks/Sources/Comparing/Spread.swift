/// The median and range of values.
package struct Spread: Sendable, Equatable {
    package let lowest: Double
    package let median: Double
    package let highest: Double

    /// Creates a spread, or `nil` if there are no values.
    package init?(_ values: [Double]) {
        let sorted = values.sorted()
        guard let lowest = sorted.first, let highest = sorted.last else { return nil }
        self.lowest = lowest
        self.highest = highest
        let middle = sorted.count / 2
        median = sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
    }
}
