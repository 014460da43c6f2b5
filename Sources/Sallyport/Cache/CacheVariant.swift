import Foundation
import HTTPTypes
import SallyportTransport

/// The request fields that select one of the responses of a resource (RFC 9111, section 4.1).
struct CacheVariant: Sendable, Hashable {
    /// The names in lower case, sorted.
    let names: [String]

    /// The digest of the names and of the values in the request.
    let digest: String

    /// Creates the variant of a response to a request; `nil` if `Vary` contains `*` or an invalid name, which match no request.
    ///
    /// - Parameters:
    ///   - response: The fields of the response.
    ///   - request: The request.
    init?(of response: HTTPFields, to request: CacheRequest) {
        var names: Set<String> = []
        for value in response[values: .vary] {
            for member in value.split(separator: ",").map({ $0.trimmingBlanks() }) where !member.isEmpty {
                guard member != "*", let name = HTTPField.Name(String(member)) else { return nil }
                names.insert(name.canonicalName)
            }
        }
        self.init(names.sorted(), in: request)
    }

    /// Creates the variant of a request.
    ///
    /// - Parameter names: Names in lower case, sorted.
    init(_ names: [String], in request: CacheRequest) {
        self.names = names
        // `Vary` may name fields with credentials.
        digest = CacheDigest.of(names.flatMap { [$0, Self.value(of: $0, in: request.fields)] }, key: request.digestKey)
    }

    /// Returns the values of a field in one form: joined to a list, without blanks around commas. A missing field differs from an
    /// empty one.
    private static func value(of name: String, in request: HTTPFields) -> String {
        guard let name = HTTPField.Name(name), request.contains(name) else { return "-" }
        let list = request[values: name].joined(separator: ",")
        if list.utf8.contains(UInt8(ascii: "\"")) { return "+" + list }
        return "+"
            + list.split(separator: ",", omittingEmptySubsequences: false)
            .map { $0.trimmingBlanks() }.joined(separator: ",")
    }
}
