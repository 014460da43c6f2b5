import HTTPTypes
import SallyportTransport

/// The content codings that an engine decodes: gzip and deflate, and those that it was given.
struct ContentCodings: Sendable {
    /// How many codings are taken off one body, unless it is refused.
    static let nestingLimit = 3

    private static let own = [
        ContentCoding(name: "gzip") { ContentDecoder.gzip },
        ContentCoding(name: "deflate") { ContentDecoder.deflate },
    ]

    /// Names that mean something else already (RFC 9110, sections 8.4.1 and 12.5.3).
    private static let reserved: Set = ["gzip", "x-gzip", "deflate", "identity", "*"]

    private let codings: [ContentCoding]

    /// - Throws: ``NetworkError/invalidRequest(_:)`` naming a coding that cannot be added.
    init(adding added: [ContentCoding] = []) throws(NetworkError) {
        var names = Self.reserved
        for coding in added {
            guard HTTPField.Name(coding.name) != nil else {
                throw .invalidCoding(coding, "is not a name that a header can hold")
            }
            guard names.insert(coding.name.lowercased()).inserted else {
                throw .invalidCoding(coding, "is there already")
            }
        }
        codings = Self.own + added
    }

    /// What is asked for: the own ones, then those that were added, in their order.
    var acceptEncoding: String {
        codings.map(\.name).joined(separator: ", ")
    }

    /// The codings that a `Content-Encoding` lists, in the order in which they were applied.
    ///
    /// - Returns: None if there is nothing to decode, or if one of them is not known.
    /// - Throws: ``ContentDecodingError/tooManyCodings(limit:)``.
    func applied(in field: String) throws(ContentDecodingError) -> [ContentCoding] {
        let names = field.split(separator: ",").map { $0.trimmingSpace().lowercased() }
            .filter { $0 != "identity" && !$0.isEmpty }
        let applied = names.compactMap(named)
        guard applied.count == names.count else { return [] }
        guard applied.count <= Self.nestingLimit else { throw .tooManyCodings(limit: Self.nestingLimit) }
        return applied
    }

    private func named(_ name: String) -> ContentCoding? {
        codings.first { $0.name.lowercased() == (name == "x-gzip" ? "gzip" : name) }
    }
}

extension NetworkError {
    fileprivate static func invalidCoding(_ coding: ContentCoding, _ reason: String) -> NetworkError {
        .invalidRequest(
            NetworkFailure(
                "the content coding \(coding.name.debugDescription) \(reason)",
                advice: "correct contentCodings in the transport's configuration"
            )
        )
    }
}

extension Substring {
    fileprivate func trimmingSpace() -> Substring {
        var trimmed = drop(while: \.isWhitespace)
        while trimmed.last?.isWhitespace == true { trimmed.removeLast() }
        return trimmed
    }
}
