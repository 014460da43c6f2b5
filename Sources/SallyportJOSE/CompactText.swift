import Foundation

/// The parts of a compact form, as text and in bytes, with its header read.
struct CompactText {
    /// No token of use is longer.
    static let maximumLength = 256 * 1024

    /// The parts, as they came.
    let texts: [Substring]
    /// The parts, decoded.
    let parts: [Data]
    /// The first part.
    let header: [String: JsonValue]

    init(_ text: String, parts count: Int, kind: String) throws(JoseError) {
        guard text.utf8.count <= Self.maximumLength else {
            throw JoseError(.tooLarge, "The \(kind) is longer than \(Self.maximumLength) bytes.")
        }
        texts = text.split(separator: ".", maxSplits: count, omittingEmptySubsequences: false)
        guard texts.count == count else {
            throw JoseError(
                .malformed,
                "A \(kind) has \(count) parts with dots between them; this one has another number."
            )
        }
        var parts: [Data] = []
        for text in texts {
            guard let part = Base64Url.decode(text) else {
                throw JoseError(.malformed, "Part \(parts.count + 1) of the \(kind) is not base64url.")
            }
            parts.append(part)
        }
        self.parts = parts
        guard let header = JsonReader.object(parts[0]) else {
            throw JoseError(.malformed, "The header of the \(kind) is not an object of JSON with each member once.")
        }
        self.header = header
    }
}

extension [String: JsonValue] {
    /// Refuses headers that demand what is not understood here.
    func refuseExtensions() throws(JoseError) {
        guard self["crit"] == nil else {
            throw JoseError(.critical, "The header demands extensions (crit), and none is known here.")
        }
        guard self["b64"] == nil else {
            throw JoseError(
                .critical,
                "The header asks for a payload that is not base64url (b64), which is not known here."
            )
        }
    }
}
