import SallyportTransport

/// The range of bytes that a `Range` field requests of a body of known length (RFC 9110, section 14.1.2).
package enum ByteRange: Sendable, Hashable {
    /// The complete body: there is no range, several ranges, another unit, or an invalid field.
    case complete
    /// One range of bytes.
    case part(Range<Int64>)
    /// A range that lies outside the body.
    case unsatisfiable

    /// Parses a `Range` field.
    ///
    /// - Parameters:
    ///   - field: The field; `nil` if there is none.
    ///   - length: The length of the body in bytes.
    package init(_ field: String?, of length: Int64) {
        self = .complete
        guard let field, field.lowercased().hasPrefix("bytes=") else { return }
        let bounds = field.dropFirst("bytes=".count).trimmingBlanks()
            .split(separator: "-", omittingEmptySubsequences: false)
        guard bounds.count == 2, bounds.allSatisfy({ $0.utf8.allSatisfy(\.isDigit) }) else { return }
        // A number that is too large for Int64 is larger than any body.
        let numbers = bounds.map { $0.isEmpty ? nil : Int64($0) ?? Int64.max }
        switch (numbers[0], numbers[1]) {
        case (let first?, let last?) where first <= last:
            self = first < length ? .part(first..<(min(last, length - 1) + 1)) : .unsatisfiable
        case (let first?, nil):
            self = first < length ? .part(first..<length) : .unsatisfiable
        case (nil, let suffix?):
            self = suffix > 0 && length > 0 ? .part(max(0, length - suffix)..<length) : .unsatisfiable
        default:
            self = .complete
        }
    }
}
