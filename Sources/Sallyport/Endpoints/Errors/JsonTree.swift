import Foundation
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

    /// The path to the syntax error, which is the last value.
    var breakingPath: [JsonPathStep] {
        switch self {
        case .object(let members): members.last.map { [.member($0.name)] + $0.value.breakingPath } ?? []
        case .array(let elements): elements.last.map { [.element(elements.count - 1)] + $0.breakingPath } ?? []
        default: []
        }
    }

    /// Returns a path with the names as they are written in the document. A decoder may have converted them, as from
    /// `unit_price` to `unitPrice`.
    func written(_ path: some Sequence<JsonPathStep>) -> [JsonPathStep] {
        var tree: JsonTree? = self
        return path.map { step in
            let step = tree?.written(step) ?? step
            tree = tree?[step]
            return step
        }
    }

    private func written(_ step: JsonPathStep) -> JsonPathStep {
        guard case .member(let name) = step, self[step] == nil, case .object(let members) = self else { return step }
        let letters = Self.letters(of: name)
        return members.first { Self.letters(of: $0.name) == letters }.map { .member($0.name) } ?? step
    }

    private static func letters(of name: String) -> String { name.filter { $0 != "_" }.lowercased() }

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

/// Reads JSON up to the first syntax error.
struct JsonTreeReader {
    /// The maximum nesting depth; deeper values are not read.
    private static let maximumDepth = 64

    private let bytes: [UInt8]
    private var position = 0
    /// A Boolean value that indicates whether a syntax error was found, which ends the reading.
    private(set) var isBroken = false

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Reads the whole document.
    mutating func readAll() -> JsonTree {
        let tree = read(depth: 0)
        skipBlanks()
        if position < bytes.count { isBroken = true }
        return tree
    }

    private mutating func read(depth: Int) -> JsonTree {
        skipBlanks()
        guard !isBroken, depth < Self.maximumDepth, let first = peek else { return fail() }
        switch first {
        case UInt8(ascii: "{"): return object(depth)
        case UInt8(ascii: "["): return array(depth)
        case UInt8(ascii: "\""): return string().map(JsonTree.string) ?? .broken
        default: return word()
        }
    }

    private mutating func object(_ depth: Int) -> JsonTree {
        var members: [(name: String, value: JsonTree)] = []
        position += 1
        if take("}") { return .object(members) }
        repeat {
            skipBlanks()
            guard peek == UInt8(ascii: "\""), let name = string(), take(":") else {
                members.append(("", fail()))
                return .object(members)
            }
            members.append((name, read(depth: depth + 1)))
        } while !isBroken && take(",")
        if !isBroken, !take("}") { members.append(("", fail())) }
        return .object(members)
    }

    private mutating func array(_ depth: Int) -> JsonTree {
        var elements: [JsonTree] = []
        position += 1
        if take("]") { return .array(elements) }
        repeat {
            elements.append(read(depth: depth + 1))
        } while !isBroken && take(",")
        if !isBroken, !take("]") { elements.append(fail()) }
        return .array(elements)
    }

    /// - Returns: `nil` for a string that is not terminated, which is not shown because it may be part of a secret.
    private mutating func string() -> String? {
        let start = position
        position += 1
        while let byte = peek, byte != UInt8(ascii: "\"") {
            position += byte == UInt8(ascii: "\\") ? 2 : 1
        }
        guard peek != nil else { _ = fail(); return nil }
        position += 1
        let inner = bytes[start + 1..<position - 1]
        if inner.contains(UInt8(ascii: "\\")),
            let text = try? JSONDecoder().decode(String.self, from: Data(bytes[start..<position]))
        {
            return text
        }
        return String(decoding: inner, as: UTF8.self)
    }

    private mutating func word() -> JsonTree {
        let word = bytes[position...].prefix { PercentEncoding.isAlphanumeric($0) || "+-.".utf8.contains($0) }
        let text = String(decoding: word, as: UTF8.self)
        guard Self.isNumber(text) || ["true", "false", "null"].contains(text) else { return fail() }
        position += word.count
        return .word(text)
    }

    private static func isNumber(_ text: String) -> Bool {
        // A fast path for integers, because the regular expression is slow.
        let digits = text.utf8.prefix { (0x30...0x39).contains($0) }.count
        if digits == text.utf8.count, digits == 1 || digits > 0 && !text.hasPrefix("0") { return true }
        return text.wholeMatch(of: /-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/) != nil
    }

    private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        skipBlanks()
        guard !isBroken, peek == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    private mutating func skipBlanks() {
        while let byte = peek, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { position += 1 }
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
