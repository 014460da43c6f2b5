import Foundation
import HTTPTypes
import SallyportTransport

/// The parts of a request on which the decisions of a cache depend.
struct CacheRequest: Sendable, Hashable {
    let method: HTTPRequest.Method
    /// The fields, with the `Accept-Encoding` that the transport adds.
    let fields: HTTPFields
    let hasBody: Bool
    /// The key of the digests of variants; see ``HttpCacheStorage/digestKey()``.
    let digestKey: Data
    let directives: CacheDirectives

    init(method: HTTPRequest.Method, fields: HTTPFields, hasBody: Bool = false, digestKey: Data) {
        self.method = method
        self.fields = fields
        self.hasBody = hasBody
        self.digestKey = digestKey
        directives = CacheDirectives(fields)
    }

    /// A Boolean value that indicates whether the request may have changed resources (RFC 9110, section 9.2.1).
    var isUnsafe: Bool { ![.get, .head, .options, .trace].contains(method) }

    /// A Boolean value that indicates whether a stored response may be used only after validation. `Pragma` counts in a request
    /// without `Cache-Control` (RFC 9111, section 5.4).
    var requiresValidation: Bool {
        if directives.contains("no-cache") { return true }
        guard !fields.contains(.cacheControl), let pragma = HTTPField.Name("Pragma") else { return false }
        return fields[values: pragma].contains { value in
            value.split(separator: ",").contains { $0.trimmingBlanks().lowercased() == "no-cache" }
        }
    }

    /// The number of seconds that a response may be stale; `nil` if the request does not accept stale responses.
    var acceptedStaleness: Int? {
        guard directives.contains("max-stale") else { return nil }
        let isUnlimited =
            directives.containsUnqualified("max-stale") && directives.longestSeconds("max-stale") == nil
        return isUnlimited ? .max : directives.seconds("max-stale")
    }

    /// A Boolean value that indicates whether nothing may be sent (RFC 9111, section 5.2.1.7).
    var isAnsweredOnlyFromCache: Bool { directives.contains("only-if-cached") }

    /// `true` if the request has a condition that the caller has set, `If-None-Match` or `If-Modified-Since`.
    var isConditional: Bool { fields.contains(.ifNoneMatch) || fields.contains(.ifModifiedSince) }

    /// A Boolean value that indicates whether the request has a precondition that only the server can evaluate.
    var hasServerPrecondition: Bool { fields.contains(.ifMatch) || fields.contains(.ifUnmodifiedSince) }

    /// Returns a Boolean value that indicates whether the request accepts the content codings of a response (RFC 9110, section 12.5.3).
    ///
    /// A request without `Accept-Encoding` allows the server to use any coding, but accepts none that the server has used for others.
    func acceptsCodings(of response: HTTPFields) -> Bool {
        let accepted = WeightedValues(fields[values: .acceptEncoding])
        let codings = response[values: .contentEncoding].flatMap { $0.split(separator: ",") }
            .map { Self.coding($0.trimmingBlanks().lowercased()) }.filter { !$0.isEmpty && $0 != "identity" }
        func weight(_ name: String) -> Int? {
            accepted.members.first { Self.coding($0.value) == name }?.weight
                ?? accepted.members.first { $0.value == "*" }?.weight
        }
        if codings.isEmpty { return weight("identity") != 0 }
        return codings.allSatisfy { (weight($0) ?? 0) > 0 }
    }

    /// Returns the name of a coding. `x-gzip` is `gzip`, and `x-compress` is `compress` (RFC 9110, section 8.4.1).
    private static func coding(_ name: String) -> String {
        switch name {
        case "x-gzip": "gzip"
        case "x-compress": "compress"
        default: name
        }
    }
}
