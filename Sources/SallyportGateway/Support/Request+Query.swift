import Foundation
import Hummingbird

@available(macOS 14, iOS 17, tvOS 17, *)
extension Request {
    /// The query's items in order, percent-decoded. A `+` stays a `+`, as RFC 3986 has it; broken escapes stay too.
    var queryItems: [NamedValue] {
        (uri.query ?? "").split(separator: "&").map { piece in
            let item = NamedValue(piece)
            return NamedValue(name: item.name.percentDecoded, value: item.value.percentDecoded)
        }
    }

    /// The first value of a query item, or nil.
    func query(_ name: String) -> String? {
        queryItems.first { $0.name == name }?.value
    }

    /// A whole number from the query, or its default.
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
    /// A whole number from the path.
    func require<Number: FixedWidthInteger>(_ name: String, in range: ClosedRange<Number>) throws -> Number {
        try Number(require(name), named: name, in: range)
    }
}

extension FixedWidthInteger {
    fileprivate init(_ text: String, named name: String, in range: ClosedRange<Self>) throws {
        guard let number = Self(text), range.contains(number) else {
            throw HTTPError(
                .badRequest,
                message: "\(name) must be a whole number from \(range.lowerBound) to \(range.upperBound)."
            )
        }
        self = number
    }
}

extension String {
    /// The text with its percent escapes decoded, or as it is when they are broken.
    var percentDecoded: String {
        removingPercentEncoding ?? self
    }
}
