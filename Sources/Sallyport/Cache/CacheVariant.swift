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
    /// A part (206) is also selected by its `Range`, and a response in a coding that the request does not accept explicitly by
    /// `Accept-Encoding`: only the same request receives it again.
    ///
    /// - Parameters:
    ///   - response: The fields of the response.
    ///   - status: The status of the response.
    ///   - request: The request.
    ///   - range: The `Range` that selected the part; `nil` to use the range of the request.
    init?(of response: HTTPFields, status: Int = 200, to request: CacheRequest, range: String? = nil) {
        var names: Set<String> = []
        for value in response[values: .vary] {
            for member in value.split(separator: ",").map({ $0.trimmingBlanks() }) where !member.isEmpty {
                guard member != "*", let name = HTTPField.Name(String(member)) else { return nil }
                names.insert(name.canonicalName)
            }
        }
        if status == 206 { names.insert("range") }
        if !request.acceptsCodings(of: response) { names.insert("accept-encoding") }
        self.init(names.sorted(), of: response, to: request, range: range)
    }

    /// Returns a Boolean value that indicates whether a request selects a stored response. The `Range` of a part is not compared.
    static func isSelected(_ head: HttpCacheHead, by request: CacheRequest) -> Bool {
        let variant = CacheVariant(head.varyingFields, of: head.fields, to: request, range: head.range)
        guard variant.digest == head.variant else { return false }
        // Otherwise the request has the same Accept-Encoding as the one that was answered.
        return head.varyingFields.contains("accept-encoding") || request.acceptsCodings(of: head.fields)
    }

    private init(_ names: [String], of response: HTTPFields, to request: CacheRequest, range: String?) {
        self.names = names
        let values = names.flatMap { name -> [String] in
            if name == "range", let range { return [name, "+" + range] }
            return [name, Self.value(of: name, in: request.fields, of: response)]
        }
        // `Vary` may name fields with credentials.
        digest = CacheDigest.of(values, key: request.digestKey)
    }

    /// Returns the values of a field in one form: joined to a list, without blanks around commas. A missing field differs from an
    /// empty one.
    private static func value(of name: String, in request: HTTPFields, of response: HTTPFields) -> String {
        guard let name = HTTPField.Name(name), request.contains(name) else { return "-" }
        if name == .acceptLanguage {
            let language = LanguagePreferences(request[values: name])
            if let text = language?.text(of: response[values: .contentLanguage]) { return text }
        }
        let list = request[values: name].joined(separator: ",")
        if name == .range || list.utf8.contains(UInt8(ascii: "\"")) { return "+" + list }
        return "+"
            + list.split(separator: ",", omittingEmptySubsequences: false)
            .map { $0.trimmingBlanks() }.joined(separator: ",")
    }
}

/// The languages of an `Accept-Language` field (RFC 9110, section 12.5.4). Their order and case do not matter.
private struct LanguagePreferences {
    private let ranges: [WeightedValues.Member]

    /// Parses the values of the field; `nil` if they are invalid.
    init?(_ values: [String]) {
        let list = WeightedValues(values)
        guard list.isValid else { return nil }
        ranges = list.members
    }

    /// Returns the same text for all fields to which a server would send the same response.
    ///
    /// It is the language of the response if the request prefers no other language, because the server has none that would be better.
    /// Otherwise it is the list of languages.
    ///
    /// - Parameter languages: The values of the response's `Content-Language`.
    func text(of languages: [String]) -> String {
        let best = ranges.map(\.weight).max() ?? 0
        if languages.count == 1, best > 0 {
            let language = languages[0].trimmingBlanks().lowercased()
            if weight(of: language) == best { return "=" + language }
        }
        let sorted = ranges.sorted { ($1.weight, $0.value) < ($0.weight, $1.value) }
        return "+" + sorted.map { "\($0.value);\($0.weight)" }.joined(separator: ",")
    }

    /// Returns the weight of a language by basic filtering (RFC 4647, section 3.3.1): the weight of the longest range that the language
    /// begins with.
    private func weight(of language: String) -> Int {
        let matching = ranges.filter { $0.value == language || language.hasPrefix($0.value + "-") }
        let range = matching.max { $0.value.utf8.count < $1.value.utf8.count }
        return (range ?? ranges.first { $0.value == "*" })?.weight ?? 0
    }
}
