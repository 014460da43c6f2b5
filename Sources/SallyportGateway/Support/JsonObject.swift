import Foundation
import Sallyport
import SallyportJOSE

extension [String: JsonValue] {
    /// Creates an object from JSON of a client.
    ///
    /// Returns `nil` if it is not an object, is nested more than 64 levels deep, or an object in it has two members with the same name.
    init?(json: Data) {
        guard let object: Self = try? JsonDocument(json).decode() else { return nil }
        self = object
    }
}
