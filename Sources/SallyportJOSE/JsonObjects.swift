import Foundation
import SallyportTransport

extension [String: JsonValue] {
    /// Returns the object as JSON with sorted members and without whitespace, so that equal objects are encoded
    /// equally.
    func json() throws(JoseError) -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return try encoder.encode(self)
        } catch {
            throw JoseError(.malformed, "JSON cannot represent one of the numbers.")
        }
    }
}
