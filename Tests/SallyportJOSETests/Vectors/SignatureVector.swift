import Foundation
import SallyportJOSE
import Testing

/// A signed text with its private or symmetric key, both from elsewhere.
struct SignatureVector: CustomTestStringConvertible, Sendable {
    let name: String
    let key: String
    let text: String

    var testDescription: String { name }
    var jsonWebKey: JsonWebKey { get throws { try JSONDecoder().decode(JsonWebKey.self, from: Data(key.utf8)) } }
}

/// An encrypted text with its private or symmetric key, both from elsewhere, and what was encrypted.
struct EncryptionVector: CustomTestStringConvertible, Sendable {
    let name: String
    let key: String
    let text: String
    let plaintext: String

    var testDescription: String { name }
    var jsonWebKey: JsonWebKey { get throws { try JSONDecoder().decode(JsonWebKey.self, from: Data(key.utf8)) } }
}
