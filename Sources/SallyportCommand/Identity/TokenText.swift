import Foundation
import Sallyport
import SallyportJOSE

/// Tokens and claims, for people.
enum TokenText {
    /// The claims of a JWT, which may not have been verified; `nil` for any other token.
    static func claims(of token: String) -> [String: JsonValue]? {
        (try? JsonWebSignature(parsing: token)).flatMap { try? $0.claims() }
    }

    /// How claims name a person.
    static func person(_ claims: [String: JsonValue]) -> String? {
        ["preferred_username", "name", "email", "sub"].lazy.compactMap { claims[$0]?.string }.first { !$0.isEmpty }
            .map { VisibleText.line($0, longest: 200) }
    }

    /// Returns JSON, laid out, with control characters escaped as JSON has it.
    static func json(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return VisibleText.json(String(decoding: try encoder.encode(value), as: UTF8.self))
    }

    /// The times in claims, in words.
    static func times(in claims: [String: JsonValue]) -> [String] {
        let words = [("iat", "issued"), ("auth_time", "signed in"), ("nbf", "valid from"), ("exp", "ends")]
        return words.compactMap { name, word in
            claims[name]?.number.map { "\(word) \(Date(timeIntervalSince1970: $0).formatted(.iso8601))" }
        }
    }
}
