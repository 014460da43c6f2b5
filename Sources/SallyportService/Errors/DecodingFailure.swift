import Foundation
import Sallyport
import SallyportTransport

/// The difference between a response and the type that was expected.
public struct DecodingFailure: Sendable, Hashable {
    /// The path in the JSON, such as `body.items[3].price`; empty for the root.
    public var path: String

    /// The type or member that was expected; empty if the value has the right type but is invalid.
    public var expected: String

    /// A description of the value that was found.
    public var found: String

    /// The JSON around the value, at most 240 characters, with secrets masked; empty if there is none to show.
    public var excerpt: String

    /// Creates a description.
    public init(path: String, expected: String, found: String, excerpt: String = "") {
        self.path = path
        self.expected = expected
        self.found = found
        self.excerpt = excerpt
    }
}

extension DecodingFailure: CustomStringConvertible {
    /// The path, the expected and found values, and the excerpt, on one line.
    public var description: String {
        let location = path.isEmpty ? "at the root" : "at \(path)"
        let other = expected.isEmpty ? "" : " instead of \(expected)"
        return "found \(found)\(other) \(location)" + (excerpt.isEmpty ? "" : ", in \(excerpt)")
    }
}

extension DecodingFailure {
    /// Creates a description from an error of `JSONDecoder`.
    ///
    /// - Parameters:
    ///   - error: The error of the decoder.
    ///   - type: The expected type.
    ///   - body: The data that was decoded.
    ///   - masker: The masker with the secrets of the request, which are masked if the server repeats them.
    init(_ error: any Error, reading type: Any.Type, from body: Data, masking masker: SecretMasker) {
        self.init(path: "", expected: "\(type)", found: "something else")
        guard let error = error as? DecodingError else { return }
        switch error {
        case .keyNotFound(let key, let context):
            self.init(Self.path(context.codingPath), "a member \"\(key.stringValue)\"", body, masker)
            found = "an object without it"
        case .valueNotFound(let type, let context):
            self.init(Self.path(context.codingPath), Self.name(type), body, masker)
        case .typeMismatch(let type, let context):
            self.init(Self.path(context.codingPath), Self.name(type), body, masker)
        case .dataCorrupted(let context):
            self.init(Self.path(context.codingPath), "", body, masker)
            if Self.notJson.contains(found) {
                expected = "\(type)"
            } else {
                // The path of the error is the value itself, or the object or array that contains it.
                let isWithin = found == "an object" || found == "an array"
                found =
                    (isWithin ? "something" : found) + " that cannot be read" + Self.reason(context, isWithin, masker)
            }
        @unknown default: break
        }
    }

    /// The descriptions of bodies that are not JSON.
    private static let notJson: Set = [
        "broken JSON", "something that is not JSON", "nothing", "an HTML page", "an XML document",
    ]

    private init(_ path: [JsonPathStep], _ expected: String, _ body: Data, _ masker: SecretMasker) {
        let excerpt = JsonExcerpt(of: body, at: path, masking: masker)
        let path = masker.masked(JsonPathStep.text(path))
        self.init(path: path, expected: expected, found: excerpt.found, excerpt: excerpt.text)
    }

    /// Returns the common name of a type.
    private static func name(_ type: Any.Type) -> String {
        if type is [String: Any].Type { return "an object" }
        return type is [Any].Type ? "an array" : "\(type)"
    }

    /// Returns the reason in the error of the type's decoder, with secrets masked, because it may quote the value.
    private static func reason(_ context: DecodingError.Context, _ isWithin: Bool, _ masker: SecretMasker) -> String {
        if context.codingPath.contains(where: { SecretNames.contains($0.stringValue) }) { return "" }
        var reason = Redaction.maskingTokens(
            Redaction.text(VisibleText.line(String(masker.masked(context.debugDescription).prefix(160))))
        )
        if isWithin { reason = reason.replacing(/\b[0-9][0-9.eE+-]*/, with: Redaction.mask) }
        if reason.hasSuffix(".") { reason.removeLast() }
        return reason.isEmpty ? "" : " (\(reason))"
    }

    private static func path(_ keys: [any CodingKey]) -> [JsonPathStep] {
        keys.map { key in key.intValue.map(JsonPathStep.element) ?? .member(key.stringValue) }
    }
}
