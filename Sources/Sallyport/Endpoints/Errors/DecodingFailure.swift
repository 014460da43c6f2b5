import Foundation
import SallyportTransport

/// Where an answer differs from what was expected.
public struct DecodingFailure: Sendable, Hashable {
    /// The place in the JSON, such as `body.items[3].price`; empty for its top.
    public var path: String

    /// What was expected there: a type, or a member; empty where something is of the right type and still unreadable.
    public var expected: String

    /// What is there instead, in a word or two.
    public var found: String

    /// The text around it, of at most 240 characters, with secrets masked; empty if there is none to show.
    public var excerpt: String

    /// Makes a description.
    public init(path: String, expected: String, found: String, excerpt: String = "") {
        self.path = path
        self.expected = expected
        self.found = found
        self.excerpt = excerpt
    }
}

extension DecodingFailure: CustomStringConvertible {
    /// Place, expectation and surroundings in one line.
    public var description: String {
        let place = path.isEmpty ? "at its top" : "at \(path)"
        let other = expected.isEmpty ? "" : " instead of \(expected)"
        return "\(place) stands \(found)\(other)" + (excerpt.isEmpty ? "" : ", in \(excerpt)")
    }
}

extension DecodingFailure {
    /// - Parameters:
    ///   - error: What the decoder threw.
    ///   - type: The type that was to be read.
    ///   - body: What was read.
    init(_ error: any Error, reading type: Any.Type, from body: Data) {
        self.init(path: "", expected: "\(type)", found: "something else")
        guard let error = error as? DecodingError else { return }
        switch error {
        case .keyNotFound(let key, let context):
            self.init(Self.path(context.codingPath), "a member \"\(key.stringValue)\"", body)
            found = "an object without it"
        case .valueNotFound(let type, let context): self.init(Self.path(context.codingPath), Self.name(type), body)
        case .typeMismatch(let type, let context): self.init(Self.path(context.codingPath), Self.name(type), body)
        case .dataCorrupted(let context):
            self.init(Self.path(context.codingPath), "", body)
            if found == "broken JSON" || found == "something that is not JSON" || found == "nothing" {
                expected = "\(type)"
            } else {
                // The decoder names the place, or what it is in.
                let isWithin = found == "an object" || found == "an array"
                found = (isWithin ? "something" : found) + " that cannot be read" + Self.reason(context, isWithin)
            }
        @unknown default: break
        }
    }

    private init(_ path: [JsonPathStep], _ expected: String, _ body: Data) {
        let look = JsonExcerpt(of: body, at: path)
        self.init(path: JsonPathStep.text(path), expected: expected, found: look.found, excerpt: look.text)
    }

    /// A type as people call it.
    private static func name(_ type: Any.Type) -> String {
        if type is [String: Any].Type { return "an object" }
        return type is [Any].Type ? "an array" : "\(type)"
    }

    /// What the type itself says is wrong, which may quote the value, and that be a secret.
    private static func reason(_ context: DecodingError.Context, _ isWithin: Bool) -> String {
        if context.codingPath.contains(where: { SecretNames.contains($0.stringValue) }) { return "" }
        var reason = Redaction.withoutTokenLikes(
            Redaction.text(VisibleText.line(String(context.debugDescription.prefix(160))))
        )
        if isWithin { reason = reason.replacing(/\b[0-9][0-9.eE+-]*/, with: Redaction.mask) }
        if reason.hasSuffix(".") { reason.removeLast() }
        return reason.isEmpty ? "" : " (\(reason))"
    }

    private static func path(_ keys: [any CodingKey]) -> [JsonPathStep] {
        keys.map { key in key.intValue.map(JsonPathStep.element) ?? .member(key.stringValue) }
    }
}
