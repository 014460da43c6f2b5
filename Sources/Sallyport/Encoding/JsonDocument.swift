import Foundation
import SallyportTransport

/// A JSON text (RFC 8259) that preserves the order of members, the format of numbers and white space.
///
/// Changing a value leaves all other bytes as they were, so that a received document can be sent back with one value changed.
///
/// ```swift
/// var document = try JsonDocument(response.body ?? Data())
/// try document.replace(["callbacks", 0, "input", 0, "value"], with: JsonDocument(encoding: "alice"))
/// request.body = .data(document.data)
/// ```
public struct JsonDocument: Sendable, Hashable {
    /// A step from a value to one of its members or elements. String and integer literals are steps.
    public enum Step: Sendable, Hashable {
        /// The member of an object with a name.
        case member(String)
        /// The element of an array at an index, beginning with 0.
        case element(Int)
    }

    /// The maximum depth of nested objects and arrays, which are read recursively.
    private static let depthLimit = 128

    private let bytes: [UInt8]
    /// The range of the value, without white space before and after it.
    private let range: Range<Int>

    /// Creates a document from a part of a text that has been validated.
    private init(validated bytes: ArraySlice<UInt8>) {
        self.bytes = Array(bytes)
        range = self.bytes.indices
    }

    /// Creates a document from a JSON text.
    ///
    /// - Parameters:
    ///   - data: The text in UTF-8.
    ///   - maximumDepth: The maximum depth of nested objects and arrays, at most 128.
    /// - Throws: ``JsonDocumentError`` if the text is not valid JSON, is nested too deeply, or an object has two members with
    ///   the same name.
    public init(_ data: Data, maximumDepth: Int = 64) throws(JsonDocumentError) {
        guard String(data: data, encoding: .utf8) != nil else { throw JsonDocumentError("it is not valid UTF-8") }
        bytes = Array(data)
        var scanner = JsonValueScanner(JsonTokenizer(bytes))
        range = try scanner.skipValue(min(maximumDepth, Self.depthLimit))
        guard scanner.tokenizer.token == .end else { throw scanner.unexpected("the end of the text") }
    }

    /// Creates a document from a JSON text.
    ///
    /// - Throws: ``JsonDocumentError``, see ``init(_:maximumDepth:)``.
    public init(_ text: String) throws(JsonDocumentError) { try self.init(Data(text.utf8)) }

    /// Creates a document from the JSON text in a file.
    ///
    /// Some editors begin a file with a byte order mark, which a reader may ignore (RFC 8259, section 8.1).
    ///
    /// - Throws: ``JsonDocumentError``, see ``init(_:maximumDepth:)``.
    package init(fileContent content: Data) throws(JsonDocumentError) {
        try self.init(content.withoutByteOrderMark)
    }

    /// Creates a document by encoding a value.
    ///
    /// - Throws: The error of `JSONEncoder`.
    public init(encoding value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
        try self.init(encoder.encode(value))
    }

    /// The text in UTF-8, with all white space.
    public var data: Data { Data(bytes) }

    /// The text.
    public var text: String { String(decoding: bytes, as: UTF8.self) }

    // MARK: Reading

    /// Returns the value at a path; `nil` if there is none.
    public subscript(_ path: Step...) -> JsonDocument? { value(at: path) }

    /// Returns the value at a path; `nil` if there is none.
    public func value(at path: [Step]) -> JsonDocument? {
        range(at: path).map { JsonDocument(validated: bytes[$0]) }
    }

    /// The members of an object, in their order in the text; `nil` if the value is not an object.
    public var members: [(name: String, value: JsonDocument)]? {
        memberRanges(in: range)?.map { ($0.name, JsonDocument(validated: bytes[$0.value])) }
    }

    /// The elements of an array; `nil` if the value is not an array.
    public var elements: [JsonDocument]? {
        elementRanges(in: range)?.map { JsonDocument(validated: bytes[$0]) }
    }

    /// The value of a string; `nil` if the value is not a string.
    public var string: String? {
        let tokenizer = JsonTokenizer(bytes)
        return tokenizer.token == .string ? tokenizer.string : nil
    }

    /// The digits of a number as they are in the text; `nil` if the value is not a number.
    public var number: String? {
        JsonTokenizer(bytes).token == .number ? String(decoding: bytes[range], as: UTF8.self) : nil
    }

    /// The value of `true` or `false`; `nil` if the value is neither.
    public var bool: Bool? {
        switch JsonTokenizer(bytes).token {
        case .true: true
        case .false: false
        default: nil
        }
    }

    /// A Boolean value that indicates whether the value is `null`.
    public var isNull: Bool { JsonTokenizer(bytes).token == .null }

    /// Decodes the value.
    ///
    /// - Throws: The error of `JSONDecoder`.
    public func decode<Value: Decodable>(as type: Value.Type = Value.self) throws -> Value {
        try JSONDecoder().decode(type, from: data)
    }

    // MARK: Changing

    /// Replaces the value at a path. All bytes outside of the value are unchanged.
    ///
    /// - Parameters:
    ///   - path: The path of an existing value. An empty path replaces the value of the complete document.
    ///   - value: The new value.
    /// - Throws: ``JsonDocumentError`` if there is no value at the path, or if the result is nested more than 128 levels deep.
    public mutating func replace(_ path: [Step], with value: JsonDocument) throws(JsonDocumentError) {
        guard let replaced = range(at: path) else {
            throw JsonDocumentError("there is no value at \(path.map(\.description).joined())")
        }
        let changed = bytes[..<replaced.lowerBound] + value.bytes[value.range] + bytes[replaced.upperBound...]
        self = try JsonDocument(Data(changed), maximumDepth: Self.depthLimit)
    }

    private func range(at path: [Step]) -> Range<Int>? {
        var range = range
        for step in path {
            let inner: Range<Int>?
            switch step {
            case .member(let name): inner = memberRanges(in: range)?.first { isSameName($0.name, name) }?.value
            case .element(let index):
                inner = elementRanges(in: range).flatMap { $0.indices.contains(index) ? $0[index] : nil }
            }
            guard let inner else { return nil }
            range = inner
        }
        return range
    }

    private func memberRanges(in range: Range<Int>) -> [(name: String, value: Range<Int>)]? {
        var scanner = JsonValueScanner(JsonTokenizer(Array(bytes[range])))
        return try? scanner.members(.max)?.map { ($0.name, $0.value.moved(by: range.lowerBound)) }
    }

    private func elementRanges(in range: Range<Int>) -> [Range<Int>]? {
        var scanner = JsonValueScanner(JsonTokenizer(Array(bytes[range])))
        return try? scanner.elements(.max)?.map { $0.moved(by: range.lowerBound) }
    }
}

extension JsonDocument.Step: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, CustomStringConvertible {
    /// Creates the step to a member.
    public init(stringLiteral name: String) { self = .member(name) }

    /// Creates the step to an element.
    public init(integerLiteral index: Int) { self = .element(index) }

    /// The step in the notation of JavaScript: `["name"]` or `[0]`.
    public var description: String {
        switch self {
        case .member(let name): "[\"\(name)\"]"
        case .element(let index): "[\(index)]"
        }
    }
}

extension JsonDocument: CustomStringConvertible {
    /// The text.
    public var description: String { text }
}

/// The reason why a text is not a ``JsonDocument``, or why a value cannot be replaced.
public struct JsonDocumentError: Error, Sendable, Hashable, CustomStringConvertible, LocalizedError {
    private let problem: String

    init(_ problem: String) { self.problem = problem }

    /// The reason. It contains no value of the document.
    public var description: String { "the JSON document cannot be used: \(problem)" }

    /// The same as ``description``.
    public var errorDescription: String? { description }
}

/// Returns a Boolean value that indicates whether two names of members have the same code points (RFC 8259, section 8.3).
private func isSameName(_ first: String, _ second: String) -> Bool { first.utf8.elementsEqual(second.utf8) }

/// Finds the ranges of the values in a JSON text.
private struct JsonValueScanner {
    var tokenizer: JsonTokenizer

    init(_ tokenizer: JsonTokenizer) { self.tokenizer = tokenizer }

    /// Moves past a value.
    ///
    /// - Parameter depth: The maximum depth of nested objects and arrays.
    /// - Returns: The range of its bytes.
    mutating func skipValue(_ depth: Int) throws(JsonDocumentError) -> Range<Int> {
        let start = tokenizer.range.lowerBound
        switch tokenizer.token {
        case .objectStart:
            // Strings compare equal if they are canonically equivalent in Unicode, names only if their code points are equal.
            var names: Set<[UInt8]> = []
            for (name, _) in try members(depth) ?? [] where !names.insert(Array(name.utf8)).inserted {
                throw JsonDocumentError(
                    "the object that begins at \(position(start)) has two members with the same name, "
                        + "\"\(VisibleText.line(name, longest: 100))\""
                )
            }
            return start..<end
        case .arrayStart:
            _ = try elements(depth)
            return start..<end
        case .string:
            guard tokenizer.string != nil else {
                throw JsonDocumentError("the string that begins at \(position(start)) contains an unpaired surrogate")
            }
            return advance()
        case .number, .true, .false, .null:
            return advance()
        default:
            throw unexpected("a value")
        }
    }

    /// Moves past an object.
    ///
    /// - Returns: `nil` if the value is not an object.
    mutating func members(_ depth: Int) throws(JsonDocumentError) -> [(name: String, value: Range<Int>)]? {
        var members: [(name: String, value: Range<Int>)] = []
        let isObject = try enter(.objectStart, .objectEnd, depth) { scanner throws(JsonDocumentError) in
            guard scanner.tokenizer.token == .string, let name = scanner.tokenizer.string else {
                throw scanner.unexpected("a member")
            }
            scanner.advance()
            guard scanner.tokenizer.take(.colon) else { throw scanner.unexpected("a colon") }
            members.append((name, try scanner.skipValue(depth - 1)))
        }
        return isObject ? members : nil
    }

    /// Moves past an array.
    ///
    /// - Returns: `nil` if the value is not an array.
    mutating func elements(_ depth: Int) throws(JsonDocumentError) -> [Range<Int>]? {
        var elements: [Range<Int>] = []
        let isArray = try enter(.arrayStart, .arrayEnd, depth) { scanner throws(JsonDocumentError) in
            elements.append(try scanner.skipValue(depth - 1))
        }
        return isArray ? elements : nil
    }

    func unexpected(_ expected: String) -> JsonDocumentError {
        JsonDocumentError("\(expected) is expected at \(position(tokenizer.range.lowerBound))")
    }

    /// Returns the line and the column of a byte, which begin with 1. Columns are counted in code points.
    private func position(_ byte: Int) -> String {
        let before = tokenizer.bytes[..<byte]
        let line = before.count { $0 == UInt8(ascii: "\n") } + 1
        let start = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        let column = before[start...].count { $0 & 0xC0 != 0x80 } + 1
        return "line \(line), column \(column)"
    }

    /// The end of the token before the current one.
    private var end = 0

    @discardableResult
    private mutating func advance() -> Range<Int> {
        let range = tokenizer.range
        end = range.upperBound
        tokenizer.advance()
        return range
    }

    private mutating func enter(
        _ opening: JsonToken,
        _ closing: JsonToken,
        _ depth: Int,
        _ item: (inout JsonValueScanner) throws(JsonDocumentError) -> Void
    ) throws(JsonDocumentError) -> Bool {
        guard tokenizer.token == opening else { return false }
        guard depth > 0 else { throw JsonDocumentError("it is nested too deeply") }
        advance()
        if tokenizer.token != closing {
            repeat { try item(&self) } while tokenizer.take(.comma)
            guard tokenizer.token == closing else { throw unexpected("a comma or the end of the value") }
        }
        advance()
        return true
    }
}

extension Range<Int> {
    fileprivate func moved(by offset: Int) -> Range<Int> { lowerBound + offset..<upperBound + offset }
}
