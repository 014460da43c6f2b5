/// Writes JSON as anyone may see it, and remembers where a place of it stands.
struct MaskedJson {
    let target: [JsonPlace]
    private(set) var text = ""
    /// Where the target stands in the text, in characters.
    private(set) var targetRange: Range<Int>?
    /// What stands there.
    private(set) var found = "nothing"
    private var length = 0

    init(target: [JsonPlace]) {
        self.target = target
    }

    /// - Parameters:
    ///   - path: Where the tree stands; `nil` where the target cannot be any more.
    ///   - name: The name of the member that it is or is in.
    mutating func write(_ tree: JsonTree, at path: [JsonPlace]?, name: String?, isSecret: Bool = false) {
        let start = length
        defer {
            if path == target {
                targetRange = start..<length
                found = tree.kind
            }
        }
        if isSecret || name.map({ SecretNames.contains($0) }) == true {
            if let path, target.starts(with: path) { note(tree, from: path) }
            return add("\"\(Redaction.mask)\"")
        }
        switch tree {
        case .object(let members): write(members, at: path)
        case .array(let elements):
            add("[")
            for (index, element) in elements.enumerated() {
                if index > 0 { add(",") }
                write(element, at: step(.element(index), from: path), name: name)
            }
            add("]")
        case .string(let string):
            add(Self.quoted(Redaction.withoutTokenLikes(Redaction.value(string, of: name ?? ""))))
        case .word(let word): add(word)
        case .broken: break
        }
    }

    private mutating func write(_ members: [(name: String, value: JsonTree)], at path: [JsonPlace]?) {
        let namesSecret = members.contains { name, value in
            guard ["name", "key", "id", "field"].contains(name), case .string(let text) = value else { return false }
            return SecretNames.contains(text)
        }
        add("{")
        for (index, (name, value)) in members.enumerated() {
            if index > 0 { add(",") }
            if case .broken = value, name.isEmpty { return }
            add(Self.quoted(Redaction.withoutTokenLikes(Redaction.text(name))) + ":")
            let isSecret = namesSecret && ["value", "values"].contains(name)
            write(value, at: step(.member(name), from: path), name: name, isSecret: isSecret)
        }
        add("}")
    }

    /// Takes note of a target that stands inside of a secret, and is shown as that.
    private mutating func note(_ tree: JsonTree, from path: [JsonPlace]) {
        var inner = tree
        for place in target.dropFirst(path.count) {
            guard let next = inner[place] else { return }
            inner = next
        }
        targetRange = length..<length + 1
        found = inner.kind
    }

    private func step(_ place: JsonPlace, from path: [JsonPlace]?) -> [JsonPlace]? {
        guard let path, path.count < target.count, target[path.count] == place else { return nil }
        return path + [place]
    }

    private mutating func add(_ piece: String) {
        text += piece
        length += piece.count
    }

    private static func quoted(_ text: String) -> String {
        let escaped = text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        return "\"\(printable(escaped))\""
    }
}
