import Sallyport
import SallyportTransport

/// A JSON document with its original order of members and spelling of numbers. Invalid JSON is read up to the error.
indirect enum JsonTree {
    case object([(name: String, value: JsonTree)])
    case array([JsonTree])
    case string(String)
    /// A number, `true`, `false` or `null`.
    case word(String)
    /// The position of a syntax error, or of a missing value.
    case broken

    /// A description of the kind of value.
    var kind: String {
        switch self {
        case .object: "an object"
        case .array: "an array"
        case .string: "a text"
        case .word(let word) where ["true", "false"].contains(word): "a boolean"
        case .word("null"): "null"
        case .word: "a number"
        case .broken: "broken JSON"
        }
    }

    /// The path to the syntax error, which is the last value of the tree.
    var errorPath: [JsonPathStep] {
        switch self {
        case .object(let members): members.last.map { [.member($0.name)] + $0.value.errorPath } ?? []
        case .array(let elements): elements.last.map { [.element(elements.count - 1)] + $0.errorPath } ?? []
        default: []
        }
    }

    /// Returns a path with the names as they are written in the document. A decoder may have converted them, as from
    /// `unit_price` to `unitPrice`.
    func originalPath(_ path: some Sequence<JsonPathStep>) -> [JsonPathStep] {
        var tree: JsonTree? = self
        return path.map { step in
            let step = tree?.originalStep(step) ?? step
            tree = tree?[step]
            return step
        }
    }

    private func originalStep(_ step: JsonPathStep) -> JsonPathStep {
        guard case .member(let name) = step, self[step] == nil, case .object(let members) = self else { return step }
        return members.first { $0.name.isSameKey(as: name) }.map { .member($0.name) } ?? step
    }

    /// Returns the value at a step below this one.
    subscript(step: JsonPathStep) -> JsonTree? {
        switch (self, step) {
        case (.object(let members), .member(let name)): members.first { $0.name == name }?.value
        case (.array(let elements), .element(let index)):
            elements.indices.contains(index) ? elements[index] : nil
        default: nil
        }
    }
}

/// Reads JSON up to the first error.
struct JsonTreeReader {
    /// The maximum depth of nesting. Deeper values are treated as an error.
    private static let maximumDepth = 64

    private var tokens: JsonTokenizer
    /// `true` if an error was found. Nothing is read after it.
    private(set) var isBroken = false

    init(_ bytes: [UInt8]) {
        tokens = JsonTokenizer(bytes)
    }

    /// Reads the complete document.
    mutating func readAll() -> JsonTree {
        let tree = read(depth: 0)
        if tokens.token != .end { isBroken = true }
        return tree
    }

    private mutating func read(depth: Int) -> JsonTree {
        guard depth < Self.maximumDepth else { return fail() }
        switch tokens.token {
        case .objectStart: return object(depth)
        case .arrayStart: return array(depth)
        case .string: return .string(string())
        case .number, .true, .false, .null:
            defer { tokens.advance() }
            return .word(String(decoding: tokens.tokenBytes, as: UTF8.self))
        default: return fail()
        }
    }

    private mutating func object(_ depth: Int) -> JsonTree {
        var members: [(name: String, value: JsonTree)] = []
        tokens.advance()
        if tokens.take(.objectEnd) { return .object(members) }
        repeat {
            guard tokens.token == .string else {
                members.append(("", fail()))
                return .object(members)
            }
            let name = string()
            guard tokens.take(.colon) else {
                members.append(("", fail()))
                return .object(members)
            }
            members.append((name, read(depth: depth + 1)))
        } while !isBroken && tokens.take(.comma)
        if !isBroken, !tokens.take(.objectEnd) { members.append(("", fail())) }
        return .object(members)
    }

    private mutating func array(_ depth: Int) -> JsonTree {
        var elements: [JsonTree] = []
        tokens.advance()
        if tokens.take(.arrayEnd) { return .array(elements) }
        repeat {
            elements.append(read(depth: depth + 1))
        } while !isBroken && tokens.take(.comma)
        if !isBroken, !tokens.take(.arrayEnd) { elements.append(fail()) }
        return .array(elements)
    }

    /// Reads a string. A string with an unpaired surrogate is returned with its escape sequences.
    private mutating func string() -> String {
        defer { tokens.advance() }
        return tokens.string ?? String(decoding: tokens.tokenBytes.dropFirst().dropLast(), as: UTF8.self)
    }

    private mutating func fail() -> JsonTree {
        isBroken = true
        return .broken
    }
}

/// A step in a path into JSON.
enum JsonPathStep: Hashable {
    case member(String)
    case element(Int)

    /// Returns the text of a path, such as `items[3].price`.
    static func text(_ path: [JsonPathStep]) -> String {
        var text = ""
        for step in path {
            switch step {
            case .member(let name): text += (text.isEmpty ? "" : ".") + VisibleText.line(String(name.prefix(80)))
            case .element(let index): text += "[\(index)]"
            }
        }
        return text
    }
}
