import Foundation
import Hummingbird

@available(macOS 14, iOS 17, tvOS 17, *)
extension Request {
    /// The items of the query in order, percent-decoded. A `+` is not decoded (RFC 3986), nor are invalid escapes.
    var queryItems: [NamedValue] {
        (uri.query ?? "").split(separator: "&").map { piece in
            let item = NamedValue(piece)
            return NamedValue(name: item.name.percentDecoded, value: item.value.percentDecoded)
        }
    }

    /// Returns the first value of a query item, or `nil`.
    func query(_ name: String) -> String? {
        queryItems.first { $0.name == name }?.value
    }

    /// Returns an integer from the query, or its default.
    func query<Number: FixedWidthInteger>(
        _ name: String,
        in range: ClosedRange<Number>,
        default standard: Number
    ) throws -> Number {
        guard let text = query(name) else { return standard }
        return try Number(text, named: name, in: range)
    }
}

extension Parameters {
    /// Returns an integer from the path.
    func require<Number: FixedWidthInteger>(_ name: String, in range: ClosedRange<Number>) throws -> Number {
        try Number(require(name), named: name, in: range)
    }
}

extension FixedWidthInteger {
    fileprivate init(_ text: String, named name: String, in range: ClosedRange<Self>) throws {
        guard let number = Self(text), range.contains(number) else {
            throw HTTPError(
                .badRequest,
                message: "\(name) must be an integer from \(range.lowerBound) to \(range.upperBound)."
            )
        }
        self = number
    }
}

extension String {
    /// The percent-decoded text, or the text itself if its escapes are invalid.
    var percentDecoded: String {
        removingPercentEncoding ?? self
    }
}

/// A name and a value, for ordered lists with repeated names.
struct NamedValue: Codable, Equatable, Sendable {
    let name: String
    let value: String

    init(name: String, value: String) {
        self.name = name
        self.value = value
    }

    /// Creates a pair from `name=value`. Without an equals sign, the value is empty.
    init(_ text: some StringProtocol) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        name = String(parts[0])
        value = parts.count > 1 ? String(parts[1]) : ""
    }
}
