import HTTPTypes
import SallyportTransport

/// The content codings that an engine decodes: gzip, deflate, and the codings of its configuration.
struct ContentCodings: Sendable {
    /// The maximum number of codings of one body.
    static let nestingLimit = 3

    private static let builtIn = [
        ContentCoding(name: "gzip") { ContentDecoder.gzip },
        ContentCoding(name: "deflate") { ContentDecoder.deflate },
    ]

    /// The names that a configured coding cannot have (RFC 9110, sections 8.4.1 and 12.5.3).
    private static let reserved: Set = ["gzip", "x-gzip", "deflate", "identity", "*"]

    private let codings: [ContentCoding]

    /// The value of `Accept-Encoding`: gzip and deflate, then the added codings in their order.
    let acceptEncoding: String

    /// Creates the list of gzip, deflate and other codings.
    ///
    /// - Throws: ``NetworkError/invalidRequest(_:)`` naming a coding that cannot be added.
    init(adding added: [ContentCoding] = []) throws(NetworkError) {
        var names = Self.reserved
        for coding in added {
            guard HTTPField.Name(coding.name) != nil else {
                throw .invalidCoding(coding, "is not a valid token")
            }
            guard names.insert(coding.name.lowercased()).inserted else {
                throw .invalidCoding(coding, "is defined already")
            }
        }
        codings = Self.builtIn + added
        acceptEncoding = codings.map(\.name).joined(separator: ", ")
    }

    /// Returns the codings to decode for a `Content-Encoding`, in the order they were applied.
    ///
    /// - Parameters:
    ///   - field: The value of `Content-Encoding`.
    ///   - passesUnsupported: If `true`, a body with an unsupported coding is not decoded. If `false`, an unsupported
    ///     coding has a decoder that fails with ``ContentDecodingError/unsupportedCoding``.
    /// - Returns: The codings; empty if there is nothing to decode, or if a name is not registered.
    /// - Throws: ``ContentDecodingError/tooManyCodings(limit:)``.
    func applied(in field: String, passesUnsupported: Bool) throws(ContentDecodingError) -> [ContentCoding] {
        let names = field.split(separator: ",").map { $0.trimmingBlanks().lowercased() }
            .filter { $0 != "identity" && !$0.isEmpty }
        guard names.allSatisfy({ ContentCoding.isRegistered($0) || coding(named: $0) != nil }) else { return [] }
        if passesUnsupported, !names.allSatisfy({ coding(named: $0) != nil }) { return [] }
        guard names.count <= Self.nestingLimit else { throw .tooManyCodings(limit: Self.nestingLimit) }
        return names.map { name in
            coding(named: name) ?? ContentCoding(name: String(name.prefix(100))) { UnsupportedDecoder() }
        }
    }

    private func coding(named name: String) -> ContentCoding? {
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

/// The decoder of a coding that is not supported: it fails with the first byte, and accepts an empty body.
private struct UnsupportedDecoder: BodyDecoder {
    func decode(_ input: inout ArraySlice<UInt8>, upTo limit: Int) throws(ContentDecodingError) -> [UInt8] {
        guard input.isEmpty else { throw .unsupportedCoding }
        return []
    }

    func finish() {}
}
