import Foundation

/// The parts of a compact serialization, decoded from base64url, with the parsed header.
struct CompactText {
    /// The maximum length of a message in bytes.
    static let maximumLength = 256 * 1024

    /// The encoded parts.
    let texts: [Substring]
    /// The decoded parts.
    let parts: [Data]
    /// The protected header, which is the first part.
    let header: [String: JsonValue]

    init(_ text: String, parts count: Int, kind: String) throws(JoseError) {
        guard text.utf8.count <= Self.maximumLength else {
            throw JoseError(.tooLarge, "The \(kind) is longer than \(Self.maximumLength) bytes.")
        }
        texts = text.split(separator: ".", maxSplits: count, omittingEmptySubsequences: false)
        guard texts.count == count else {
            throw JoseError(
                .malformed,
                "The \(kind) does not consist of \(count) parts separated by dots."
            )
        }
        var parts: [Data] = []
        for text in texts {
            guard let part = Base64Url.decode(text) else {
                throw JoseError(.malformed, "Part \(parts.count + 1) of the \(kind) \(Base64Url.problem(with: text)).")
            }
            parts.append(part)
        }
        self.parts = parts
        guard let header = JsonReader.object(parts[0]) else {
            throw JoseError(.malformed, "The header of the \(kind) is not a JSON object with unique members.")
        }
        self.header = header
    }
}

extension [String: JsonValue] {
    /// Throws an error for a header that demands extensions. No extension is supported.
    func refuseExtensions() throws(JoseError) {
        guard self["crit"] == nil else {
            throw JoseError(.critical, "The header demands extensions (crit), and none is supported.")
        }
        guard self["b64"] == nil else {
            throw JoseError(
                .critical,
                "The header demands a payload without base64url encoding (b64), which is not supported."
            )
        }
    }
}
