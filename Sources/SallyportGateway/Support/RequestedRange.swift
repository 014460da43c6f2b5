/// What a `Range` header asks of a resource of known length (RFC 9110, section 14).
enum RequestedRange: Equatable {
    /// Everything: no range, several ranges, another unit, or nonsense.
    case whole
    /// One stretch of bytes.
    case part(Range<Int>)
    /// A range that lies outside the resource.
    case unsatisfiable

    init(_ header: String?, length: Int) {
        self = .whole
        guard let header, header.lowercased().hasPrefix("bytes="), !header.contains(",") else { return }
        let bounds = header.dropFirst("bytes=".count).split(separator: "-", omittingEmptySubsequences: false)
        guard bounds.count == 2, bounds.allSatisfy({ $0.utf8.allSatisfy(Self.isDigit) }) else { return }
        // A number of digits only that does not fit is larger than any resource.
        let numbers = bounds.map { $0.isEmpty ? nil : Int($0) ?? Int.max }
        switch (numbers[0], numbers[1]) {
        case (let first?, let last?) where first <= last:
            self = first < length ? .part(first..<(min(last, length - 1) + 1)) : .unsatisfiable
        case (let first?, nil):
            self = first < length ? .part(first..<length) : .unsatisfiable
        case (nil, let suffix?):
            self = suffix > 0 && length > 0 ? .part(max(0, length - suffix)..<length) : .unsatisfiable
        default:
            self = .whole
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
