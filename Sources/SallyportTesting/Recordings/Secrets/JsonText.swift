import Foundation
import Sallyport
import SallyportTransport

/// A JSON text in which secrets can be masked without changing anything else, such as spaces and the order of members.
struct JsonText {
    private indirect enum Node {
        case string(Range<Int>, String)
        case number(Range<Int>)
        case literal
        case array([Node])
        case object([(name: String, value: Node)])
    }

    /// The maximum depth of arrays and objects.
    private static let maximumDepth = 200

    private let bytes: [UInt8]
    private let root: Node

    /// Parses a text; `nil` if it is not an object or array in JSON.
    init?(_ text: String) {
        guard let first = text.utf8.first(where: { $0 > 0x20 }),
            first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
        else { return nil }
        bytes = Array(text.utf8)
        var tokens = JsonTokenizer(bytes)
        guard let root = Self.node(&tokens, depth: 0), tokens.token == .end else { return nil }
        self.root = root
    }

    private static func node(_ tokens: inout JsonTokenizer, depth: Int) -> Node? {
        guard depth < maximumDepth else { return nil }
        let range = tokens.range
        switch tokens.token {
        case .objectStart: return object(&tokens, depth: depth)
        case .arrayStart: return array(&tokens, depth: depth)
        case .string:
            guard let string = tokens.string else { return nil }
            tokens.advance()
            return .string(range, string)
        case .number:
            tokens.advance()
            return .number(range)
        case .true, .false, .null:
            tokens.advance()
            return .literal
        case .objectEnd, .arrayEnd, .colon, .comma, .end, .invalid: return nil
        }
    }

    private static func object(_ tokens: inout JsonTokenizer, depth: Int) -> Node? {
        tokens.advance()
        var members: [(name: String, value: Node)] = []
        if tokens.take(.objectEnd) { return .object(members) }
        repeat {
            guard tokens.token == .string, let name = tokens.string else { return nil }
            tokens.advance()
            guard tokens.take(.colon), let value = node(&tokens, depth: depth + 1) else { return nil }
            members.append((name, value))
        } while tokens.take(.comma)
        return tokens.take(.objectEnd) ? .object(members) : nil
    }

    private static func array(_ tokens: inout JsonTokenizer, depth: Int) -> Node? {
        tokens.advance()
        var elements: [Node] = []
        if tokens.take(.arrayEnd) { return .array(elements) }
        repeat {
            guard let element = node(&tokens, depth: depth + 1) else { return nil }
            elements.append(element)
        } while tokens.take(.comma)
        return tokens.take(.arrayEnd) ? .array(elements) : nil
    }
}

// MARK: Masking

extension JsonText {
    private struct Masking {
        let policy: SecretPolicy
        var replacements: [(Range<Int>, String)] = []
        var secrets: [String] = []
    }

    /// Returns the text with secrets masked.
    ///
    /// - Parameters:
    ///   - policy: Decides by the names of members. All strings in an array or object with the name of a secret are masked.
    ///   - maskText: Masks the secrets in the strings of other members.
    /// - Returns: The text and the masked strings.
    func masked(by policy: SecretPolicy, maskText: (String) -> String) -> (text: String, secrets: [String]) {
        var masking = Masking(policy: policy)
        Self.mask(root, name: "", isSecret: false, &masking, maskText)
        if masking.replacements.isEmpty { return (String(decoding: bytes, as: UTF8.self), masking.secrets) }
        var result: [UInt8] = []
        var position = 0
        for (range, replacement) in masking.replacements {
            result += bytes[position..<range.lowerBound]
            result += replacement.utf8
            position = range.upperBound
        }
        result += bytes[position...]
        return (String(decoding: result, as: UTF8.self), masking.secrets)
    }

    private static func mask(
        _ node: Node,
        name: String,
        isSecret: Bool,
        _ masking: inout Masking,
        _ maskText: (String) -> String
    ) {
        switch node {
        case .literal: break
        case .number(let range): if masking.policy.isSecretNumber(name) { masking.replacements.append((range, "0")) }
        case .string(let range, let string):
            if string.isEmpty { return }
            if isSecret || masking.policy.isSecret(name, string: string) {
                masking.secrets.append(string)
                masking.replacements.append((range, "\"\(SecretMask.mask)\""))
                return
            }
            var masked = string
            if let inner = JsonText(string) {
                let (text, secrets) = inner.masked(by: masking.policy, maskText: maskText)
                masked = text
                masking.secrets += secrets
            } else {
                masked = maskText(string)
            }
            if masked != string { masking.replacements.append((range, quoted(masked))) }
        case .array(let elements):
            for element in elements { mask(element, name: name, isSecret: isSecret, &masking, maskText) }
        case .object(let members):
            let namesSecret = namesSecret(members, masking.policy)
            for (name, value) in members {
                var isSecret = isSecret && !masking.policy.isPublic(name)
                if namesSecret, ["value", "values"].contains(name) { isSecret = true }
                if case .string = value {} else if masking.policy.isSecret(name) { isSecret = true }
                mask(value, name: name, isSecret: isSecret, &masking, maskText)
            }
        }
    }

    /// Returns a Boolean value that indicates whether members name a secret, as in `{"name": "password", "value": …}`.
    private static func namesSecret(_ members: [(name: String, value: Node)], _ policy: SecretPolicy) -> Bool {
        members.contains { name, value in
            guard case .string(_, let string) = value else { return false }
            return ["name", "key", "id", "field"].contains(name) && policy.isSecret(string)
        }
    }

    private static func quoted(_ text: String) -> String {
        let encoded = try? JSONEncoder.ordered.encode(text)
        return encoded.map { String(decoding: $0, as: UTF8.self) } ?? "\"\(SecretMask.mask)\""
    }
}
