import Foundation

extension ContentDigest {
    /// The digests that a field tells: `Repr-Digest` or `Content-Digest` (RFC 9530), each a dictionary of RFC 8941.
    ///
    /// Algorithms that are not known, or not safe, are left out, and so is a value that is none. Of an algorithm that
    /// stands there twice the last counts.
    ///
    /// - Parameter value: The field's value; several fields joined by commas.
    static func parse(field value: String) -> [ContentDigest] {
        var digests: [Algorithm: ContentDigest] = [:]
        for member in value.split(separator: ",") {
            let parts = member.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
            guard parts.count == 2, let algorithm = Algorithm(rawValue: parts[0]) else { continue }
            // Parameters are allowed, and none has a meaning.
            let item = parts[1].prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces)
            guard item.count >= 2, item.first == ":", item.last == ":",
                let bytes = Data(base64Encoded: String(item.dropFirst().dropLast())), bytes.count == algorithm.length
            else {
                digests[algorithm] = nil
                continue
            }
            digests[algorithm] = ContentDigest(algorithm, bytes)
        }
        return Algorithm.allCases.compactMap { digests[$0] }
    }
}
