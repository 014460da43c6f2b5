import Sallyport
import SallyportTransport

/// Writes the JSON around a target with secrets masked, and records the range of the target in the text.
///
/// JSON that is far from the target is omitted, because the document may be long.
struct MaskedJson {
    /// The number of members or elements that are written before and after the target.
    private static let neighbours = 6
    /// The maximum number of characters to write of a value that does not contain the target.
    private static let longest = 240

    let target: [JsonPathStep]
    private let masker: SecretMasker
    private(set) var text = ""
    /// The range of the target in the text, in characters.
    private(set) var targetRange: Range<Int>?
    /// A description of the value at the target.
    private(set) var found = "nothing"
    private var length = 0
    /// The length at which writing stops, outside of values that contain the target.
    private var end: Int?

    /// Creates a writer.
    ///
    /// - Parameters:
    ///   - target: The path of the target.
    ///   - masker: The masker with the values of further secrets.
    init(target: [JsonPathStep], _ masker: SecretMasker) {
        self.target = target
        self.masker = masker
    }

    mutating func write(_ tree: JsonTree) {
        write(tree, at: [], name: nil)
    }

    /// Writes a part of the document.
    ///
    /// - Parameters:
    ///   - path: The path of the part; `nil` if it cannot contain the target.
    ///   - name: The name of the member that is or contains the part.
    private mutating func write(_ tree: JsonTree, at path: [JsonPathStep]?, name: String?, isSecret: Bool = false) {
        let start = length
        let outerEnd = end
        if path.map({ $0.count >= target.count }) ?? true { end = end ?? start + Self.longest }
        defer {
            end = outerEnd
            if path == target {
                targetRange = start..<length
                found = tree.kind
            }
        }
        if isSecret || name.map({ tree.isSecret(named: $0) }) == true {
            if let path, target.starts(with: path) { recordTarget(in: tree, at: path) }
            return add("\"\(Redaction.mask)\"")
        }
        switch tree {
        case .object(let members): write(members, at: path)
        case .array(let elements): write(elements, at: path, name: name)
        case .string(let string):
            add(Self.quoted(Redaction.maskingTokens(Redaction.value(masker.masked(string), of: name ?? ""))))
        case .word(let word): add(masker.masked(word))
        case .broken: break
        }
    }

    private mutating func write(_ elements: [JsonTree], at path: [JsonPathStep]?, name: String?) {
        let near = near(path, in: elements) { step, _, index in step == .element(index) }
        // The elements after the name of a secret are its values, as in ["Cookie", "sid=…"].
        var isSecret = elements[..<near.lowerBound].contains(where: \.isSecretName)
        add(near.lowerBound > 0 ? "[…," : "[")
        for index in near {
            if isFull { return add("…") }
            if index > near.lowerBound { add(",") }
            write(elements[index], at: step(.element(index), from: path), name: name, isSecret: isSecret)
            isSecret = isSecret || elements[index].isSecretName
            if case .broken = elements[index] { return }
        }
        add(near.upperBound < elements.count ? ",…]" : "]")
    }

    private mutating func write(_ members: [(name: String, value: JsonTree)], at path: [JsonPathStep]?) {
        let namesSecret = JsonMembers.nameSecret(members.map { ($0.name, $0.value.string) })
        let isKey = JsonMembers.areKey(members.lazy.map(\.name))
        let near = near(path, in: members) { step, member, _ in step == .member(member.name) }
        add(near.lowerBound > 0 ? "{…," : "{")
        for index in near {
            if isFull { return add("…") }
            let (name, value) = members[index]
            if index > near.lowerBound { add(",") }
            let isBroken = if case .broken = value { true } else { false }
            if !isBroken || !name.isEmpty {
                add(Self.quoted(Redaction.maskingTokens(Redaction.text(masker.masked(name)))) + ":")
            }
            let isSecret =
                namesSecret && JsonMembers.values.contains(name) || isKey && JsonMembers.ofPrivateKeys.contains(name)
            write(value, at: step(.member(name), from: path), name: name, isSecret: isSecret)
            if isBroken { return }
        }
        add(near.upperBound < members.count ? ",…}" : "}")
    }

    /// Returns the indices near the target, or all if it is not among them.
    private func near<Inner>(
        _ path: [JsonPathStep]?,
        in all: [Inner],
        isTarget: (JsonPathStep, Inner, Int) -> Bool
    ) -> Range<Int> {
        guard let path, path.count < target.count,
            let index = all.indices.first(where: { isTarget(target[path.count], all[$0], $0) })
        else { return all.indices }
        return max(0, index - Self.neighbours)..<min(all.count, index + Self.neighbours + 1)
    }

    private var isFull: Bool { end.map { length >= $0 } ?? false }

    /// Records a target that is inside a secret value, in whose place the mask is written.
    private mutating func recordTarget(in tree: JsonTree, at path: [JsonPathStep]) {
        var inner = tree
        for step in target.dropFirst(path.count) {
            guard let next = inner[step] else { return }
            inner = next
        }
        targetRange = length..<length + 1
        found = inner.kind
    }

    private func step(_ step: JsonPathStep, from path: [JsonPathStep]?) -> [JsonPathStep]? {
        guard let path, path.count < target.count, target[path.count] == step else { return nil }
        return path + [step]
    }

    private mutating func add(_ piece: String) {
        text += piece
        length += piece.count
    }

    private static func quoted(_ text: String) -> String {
        let short = text.count > longest ? text.prefix(longest) + "…" : text
        let escaped = short.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        return "\"\(VisibleText.line(escaped))\""
    }
}

extension JsonTree {
    /// `true` if the value is the name of a secret.
    fileprivate var isSecretName: Bool {
        string.map { SecretNames.containsWord($0) } ?? false
    }

    /// The text of a string.
    fileprivate var string: String? { if case .string(let text) = self { text } else { nil } }

    /// Returns a Boolean value that indicates whether the value of a member with a name is a secret.
    fileprivate func isSecret(named name: String) -> Bool {
        switch self {
        case .object, .array: SecretNames.contains(name)
        case .string(let text): SecretPolicy.standard.isSecret(name, value: text)
        case .word(let word): SecretPolicy.standard.isSecretNumber(name, word)
        case .broken: SecretNames.contains(name)
        }
    }
}

extension Redaction {
    /// The minimum length of a word that is considered a token, in bytes.
    private static let minimumTokenLength = 20

    /// Returns a text in which each word that looks like a token is masked: a long word with letters and digits.
    ///
    /// Unlike ``text(_:)``, it may mask words that are not secret. The components of a path are separate words.
    static func maskingTokens(_ text: String) -> String {
        guard text.utf8.count >= minimumTokenLength else { return text }
        var result = ""
        var rest = text[...]
        while let start = rest.utf8.firstIndex(where: isTokenByte) {
            result += rest[..<start]
            rest = rest[start...]
            let isPath = rest.utf8.first == UInt8(ascii: "/")
            let word = rest.utf8.prefix(while: isTokenByte)
            let parts =
                isPath ? Substring(word).split(separator: "/", omittingEmptySubsequences: false) : [Substring(word)]
            result += parts.map { looksLikeToken($0) ? mask : String($0) }.joined(separator: "/")
            rest = rest[word.endIndex...]
        }
        return result + rest
    }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        byte.isAlphanumeric || "-_+/=.~".utf8.contains(byte)
    }

    private static func looksLikeToken(_ word: Substring) -> Bool {
        word.utf8.count >= minimumTokenLength && word.utf8.contains(where: \.isDigit)
            && word.utf8.contains { $0.isAlphanumeric && !$0.isDigit }
    }
}
