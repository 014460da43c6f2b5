import Foundation
import SallyportJOSE

/// The parameters of a form or a query (`application/x-www-form-urlencoded`). Parameters without a value are ignored.
struct FormParameters: Sendable, Equatable {
    /// The parameters that may be repeated (RFC 8693, section 2.1).
    private static let repeatable: Set<String> = ["audience", "resource"]

    private var values: [String: [String]] = [:]

    init(_ pairs: [String: String] = [:]) {
        values = pairs.mapValues { [$0] }
    }

    /// Parses a form or a query.
    ///
    /// - Throws: `invalid_request` if a parameter is repeated (RFC 6749, section 3.1) or not UTF-8.
    init(parsing text: some StringProtocol) throws(OAuthRefusal) {
        let pieces = text.split(separator: "&")
        guard pieces.count <= 100 else { throw OAuthRefusal(.invalidRequest, "There are more than 100 parameters.") }
        for piece in pieces {
            let parts = piece.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = parts[0].formDecoded, let value = (parts.count > 1 ? parts[1] : "").formDecoded else {
                throw OAuthRefusal(.invalidRequest, "The percent-encoding of a parameter is invalid.")
            }
            guard !value.isEmpty else { continue }
            guard values[name] == nil || Self.repeatable.contains(name) else {
                throw OAuthRefusal(.invalidRequest, "A parameter is repeated.")
            }
            values[name, default: []].append(value)
        }
    }

    /// The first value of a parameter.
    subscript(_ name: String) -> String? { values[name]?.first }

    /// Returns all values of a parameter.
    func all(_ name: String) -> [String] { values[name] ?? [] }

    /// Returns the elements of a space-separated parameter, or `nil` if it is missing.
    func words(_ name: String) -> [String]? {
        self[name]?.split(separator: " ").map(String.init)
    }

    /// Returns the value of a parameter.
    ///
    /// - Throws: `invalid_request` if it is missing.
    func require(_ name: String) throws(OAuthRefusal) -> String {
        guard let value = self[name] else { throw OAuthRefusal(.invalidRequest, "The parameter \(name) is missing.") }
        return value
    }

    /// Returns the first value of each parameter, without the given parameters.
    func values(except names: Set<String>) -> [String: String] {
        values.compactMapValues(\.first).filter { !names.contains($0.key) }
    }

    /// The parameters as a query, sorted by name.
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
    /// The text, with all bytes percent-encoded except unreserved characters (RFC 3986, section 2.3).
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
