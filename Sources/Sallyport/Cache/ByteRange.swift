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

/// The `Content-Range` field in bytes (RFC 9110, section 14.4).
package struct ContentRange: Sendable, Hashable {
    /// The range of the body; `nil` in a 416 response, which has none.
    package let range: Range<Int64>?

    /// The length of the complete body; `nil` if the server does not know it.
    package let total: Int64?

    /// Parses the field; `nil` if the value is invalid, contradicts itself, or has a unit other than bytes.
    package init?(_ value: String) {
        let parts = value.trimmingBlanks().split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bytes" else { return nil }
        let sides = parts[1].split(separator: "/", omittingEmptySubsequences: false)
        guard sides.count == 2 else { return nil }
        total = Self.number(sides[1])
        if total == nil, sides[1] != "*" { return nil }
        if sides[0] == "*" {
            if total == nil { return nil }
            range = nil
            return
        }
        let ends = sides[0].split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = Self.number(ends[0]), let last = Self.number(ends[1]),
            first <= last, last < total ?? .max
        else { return nil }
        range = first..<(last + 1)
    }

    private static func number(_ text: Substring) -> Int64? {
        guard !text.isEmpty, text.utf8.allSatisfy(\.isDigit) else { return nil }
        return Int64(text)
    }
}
