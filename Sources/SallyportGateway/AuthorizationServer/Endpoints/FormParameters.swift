import Foundation
import SallyportJOSE

/// The parameters of a form or a query (`application/x-www-form-urlencoded`). One without a value is as if it were not there.
struct FormParameters: Sendable, Equatable {
    /// Those that may come more than once (RFC 8693, section 2.1).
    private static let repeatable: Set<String> = ["audience", "resource"]

    private var values: [String: [String]] = [:]

    init(_ pairs: [String: String] = [:]) {
        values = pairs.mapValues { [$0] }
    }

    /// - Throws: `invalid_request` where a parameter comes twice, as RFC 6749 demands (section 3.1), or is not UTF-8.
    init(parsing text: some StringProtocol) throws(OAuthRefusal) {
        let pieces = text.split(separator: "&")
        guard pieces.count <= 100 else { throw OAuthRefusal(.invalidRequest, "There are more than 100 parameters.") }
        for piece in pieces {
            let parts = piece.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = parts[0].formDecoded, let value = (parts.count > 1 ? parts[1] : "").formDecoded else {
                throw OAuthRefusal(.invalidRequest, "A parameter is not encoded as forms are.")
            }
            guard !value.isEmpty else { continue }
            guard values[name] == nil || Self.repeatable.contains(name) else {
                throw OAuthRefusal(.invalidRequest, "A parameter is there more than once.")
            }
            values[name, default: []].append(value)
        }
    }

    /// A parameter's value.
    subscript(_ name: String) -> String? { values[name]?.first }

    /// All values of a parameter.
    func all(_ name: String) -> [String] { values[name] ?? [] }

    /// The words of a parameter that is a list with spaces between them.
    func words(_ name: String) -> [String]? {
        self[name]?.split(separator: " ").map(String.init)
    }

    /// - Throws: `invalid_request` where it is missing.
    func require(_ name: String) throws(OAuthRefusal) -> String {
        guard let value = self[name] else { throw OAuthRefusal(.invalidRequest, "The parameter \(name) is missing.") }
        return value
    }

    /// The first value of each parameter but some.
    func values(except names: Set<String>) -> [String: String] {
        values.compactMapValues(\.first).filter { !names.contains($0.key) }
    }

    /// The same as a query, with the names in order.
    var query: String {
        values.sorted { $0.key < $1.key }
            .flatMap { name, values in values.map { "\(name.formEncoded)=\($0.formEncoded)" } }
            .joined(separator: "&")
    }
}

extension StringProtocol {
    fileprivate var formDecoded: String? {
        String(map { $0 == "+" ? " " : $0 }).removingPercentEncoding
    }
}

extension String {
    /// The text with everything escaped that could mean something in a query or a form.
    var formEncoded: String {
        var text = ""
        for byte in utf8 {
            if byte.isUnreserved {
                text.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                text += (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
            }
        }
        return text
    }
}
