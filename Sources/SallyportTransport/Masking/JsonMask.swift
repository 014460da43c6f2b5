import Foundation

// Masks secrets in JSON without changing anything else, such as spaces and the order of members.

extension SecretMasker {
    /// Returns JSON with secrets masked; `nil` if the text is not an object or array in JSON.
    ///
    /// - Parameter allowsFragments: `true` if the text may also be a string, a number or a literal.
    mutating func json(_ bytes: [UInt8], allowsFragments: Bool = false) -> [UInt8]? {
        guard allowsFragments || Self.beginsJson(bytes), let root = JsonNode(bytes) else { return nil }
        var search = JsonSearch(masker: self)
        // The search owns the values meanwhile, so that they are not copied.
        values = SecretValues()
        search.visit(root, name: [], isSecret: false)
        values = search.masker.values
        var result: [UInt8] = []
        var position = 0
        for (range, replacement) in search.replacements {
            result += bytes[position..<range.lowerBound]
            result += replacement
            position = range.upperBound
        }
        return result + bytes[position...]
    }
}

/// The search for secrets in a JSON document.
private struct JsonSearch {
    var masker: SecretMasker
    var replacements: [(Range<Int>, [UInt8])] = []

    private static let quotedMask = Array("\"\(SecretMasker.mask)\"".utf8)

    mutating func visit(_ node: JsonNode, name: [UInt8], isSecret: Bool) {
        switch node.content {
        case .literal: break
        case .number(let bytes):
            guard isSecret && masker.style == .display || masker.policy.isSecretNumber(name, bytes) else { return }
            masker.collect(bytes)
            replacements.append((node.range, masker.style == .display ? Self.quotedMask : [UInt8(ascii: "0")]))
        case .string(let text):
            let string = Array(text.utf8)
            if string.isEmpty { return }
            if isSecret || masker.policy.isSecret(name, value: string) {
                masker.collect(string)
                replacements.append((node.range, Self.quotedMask))
                return
            }
            masker.depth += 1
            let masked = masker.nested(string)
            masker.depth -= 1
            if masked != string { replacements.append((node.range, Self.quoted(masked))) }
        case .array(let elements): visit(elements, of: node, name, isSecret: isSecret)
        case .object(let members): visit(members, of: node, isSecret: isSecret)
        }
    }

    private mutating func visit(_ elements: [JsonNode], of node: JsonNode, _ name: [UInt8], isSecret: Bool) {
        if isSecret, masker.style == .display { return hide(node) }
        // The elements after the name of a secret are its values, as in ["Cookie", "sid=…"].
        var follows = false
        for element in elements {
            visit(element, name: name, isSecret: isSecret || follows)
            guard case .string(let text) = element.content, !SecretNames.isDescription(SecretNames.letters(of: name))
            else { continue }
            if masker.style == .display { follows = follows || masker.policy.isSecretWord(text.utf8) }
            if masker.style == .replayable { follows = elements.count == 2 && masker.policy.isSecretWord(text.utf8) }
        }
    }

    private mutating func visit(_ members: [JsonNode.Member], of node: JsonNode, isSecret: Bool) {
        if isSecret, masker.style == .display { return hide(node) }
        let namesSecret = JsonMembers.nameSecret(members.map { ($0.name, $0.value.text) }, masker.policy)
        let isKey = JsonMembers.areKey(members.lazy.map(\.name))
        for (name, value) in members {
            let letters = Array(name.utf8)
            var isSecretValue = isSecret && !masker.policy.isPublic(name)
            if namesSecret, JsonMembers.values.contains(name) { isSecretValue = true }
            if isKey, JsonMembers.ofPrivateKeys.contains(name) { isSecretValue = true }
            switch value.content {
            case .array, .object: if masker.policy.isSecret(name) { isSecretValue = true }
            case .string, .number, .literal: break
            }
            visit(value, name: letters, isSecret: isSecretValue)
        }
    }

    private mutating func hide(_ node: JsonNode) {
        replacements.append((node.range, Self.quotedMask))
    }

    private static func quoted(_ text: [UInt8]) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        return (try? encoder.encode(String(decoding: text, as: UTF8.self))).map(Array.init) ?? quotedMask
    }
}

/// The members of JSON objects that together decide whether a value is a secret.
package enum JsonMembers {
    /// Returns a Boolean value that indicates whether members name a secret, as in `{"name": "password", "value": …}`.
    ///
    /// - Parameter members: The names, and the values that are strings.
    package static func nameSecret(_ members: [(name: String, text: String?)], _ policy: SecretPolicy = .standard)
        -> Bool
    {
        members.contains { name, text in names.contains(name) && text.map { policy.isSecret($0) } == true }
    }

    /// Returns `true` if members belong to a JSON Web Key (RFC 7517).
    package static func areKey(_ names: some Sequence<String>) -> Bool { names.contains("kty") }

    /// The names of members whose values are secret if another member names a secret.
    package static let values: Set = ["value", "values", "Value", "Values"]

    /// The members of a JSON Web Key that are private (RFC 7518, section 6).
    package static let ofPrivateKeys: Set = ["d", "p", "q", "dp", "dq", "qi", "oth", "k", "priv"]

    private static let names: Set = ["name", "key", "id", "field", "Name", "Key"]
}

/// A part of a JSON document, with its range in the text.
private struct JsonNode {
    typealias Member = (name: String, value: JsonNode)

    indirect enum Content {
        case string(String)
        case number(ArraySlice<UInt8>)
        case literal
        case array([JsonNode])
        case object([Member])
    }

    /// The maximum depth of arrays and objects.
    private static let maximumDepth = 200

    let content: Content
    private(set) var range: Range<Int>

    var text: String? { if case .string(let text) = content { text } else { nil } }

    /// Parses a text; `nil` if it is not JSON.
    init?(_ bytes: [UInt8]) {
        var tokens = JsonTokenizer(bytes)
        self.init(&tokens, depth: 0)
        if tokens.token != .end { return nil }
    }

    private init?(_ tokens: inout JsonTokenizer, depth: Int) {
        guard depth < Self.maximumDepth else { return nil }
        range = tokens.range
        switch tokens.token {
        case .objectStart:
            guard let (members, end) = Self.members(&tokens, depth: depth) else { return nil }
            content = .object(members)
            range = range.lowerBound..<end
        case .arrayStart:
            guard let (elements, end) = Self.elements(&tokens, depth: depth) else { return nil }
            content = .array(elements)
            range = range.lowerBound..<end
        case .string:
            guard let string = tokens.string else { return nil }
            content = .string(string)
            tokens.advance()
        case .number:
            content = .number(tokens.tokenBytes)
            tokens.advance()
        case .true, .false, .null:
            content = .literal
            tokens.advance()
        case .objectEnd, .arrayEnd, .colon, .comma, .end, .invalid: return nil
        }
    }

    private static func members(_ tokens: inout JsonTokenizer, depth: Int) -> ([Member], end: Int)? {
        tokens.advance()
        var members: [Member] = []
        var end = tokens.range.upperBound
        if tokens.take(.objectEnd) { return (members, end) }
        repeat {
            guard tokens.token == .string, let name = tokens.string else { return nil }
            tokens.advance()
            guard tokens.take(.colon), let value = JsonNode(&tokens, depth: depth + 1) else { return nil }
            members.append((name, value))
            end = tokens.range.upperBound
        } while tokens.take(.comma)
        return tokens.take(.objectEnd) ? (members, end) : nil
    }

    private static func elements(_ tokens: inout JsonTokenizer, depth: Int) -> ([JsonNode], end: Int)? {
        tokens.advance()
        var elements: [JsonNode] = []
        var end = tokens.range.upperBound
        if tokens.take(.arrayEnd) { return (elements, end) }
        repeat {
            guard let element = JsonNode(&tokens, depth: depth + 1) else { return nil }
            elements.append(element)
            end = tokens.range.upperBound
        } while tokens.take(.comma)
        return tokens.take(.arrayEnd) ? (elements, end) : nil
    }
}
