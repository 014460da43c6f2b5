import Foundation

extension [String: JsonValue] {
    /// The object in JSON: members sorted, no space, so that the same members are always the same bytes.
    func json() throws(JoseError) -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return try encoder.encode(self)
        } catch {
            throw JoseError(.malformed, "There is a number that JSON cannot hold.")
        }
    }
}
