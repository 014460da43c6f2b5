import Foundation

/// The field `Content-Range` in bytes (RFC 9110, section 14.4).
struct ContentRange: Sendable, Hashable {
    /// The bytes that the body has; `nil` of a 416, which has none.
    var range: Range<Int64>?

    /// How many bytes the whole has; `nil` while the server does not know.
    var total: Int64?

    /// - Returns: `nil` if the value is none, is of another unit than bytes, or contradicts itself.
    init?(_ value: String) {
        let parts = value.trimmingCharacters(in: .whitespaces).split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bytes" else { return nil }
        let sides = parts[1].split(separator: "/", omittingEmptySubsequences: false)
        guard sides.count == 2 else { return nil }
        if sides[1] != "*" {
            guard let total = Self.number(sides[1]) else { return nil }
            self.total = total
        }
        if sides[0] == "*" {
            if total == nil { return nil }
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
