import Foundation

/// Indents JSON for people. Names, strings and numbers, and their order, are unchanged byte for byte.
///
/// The input must be exactly one JSON text (RFC 8259).
struct PrettyJson {
    /// The maximum depth of nesting that is formatted.
    private static let maximumDepth = 256
    /// The maximum length of the output: this multiple of the input's length, plus this number of bytes.
    private static let (maximumFactor, maximumAddition) = (16, 256 << 10)

    private let bytes: [UInt8]
    private var position = 0
    private var output: [UInt8] = []
    private var depth = 0

    private init(_ bytes: [UInt8]) {
        self.bytes = bytes
        output.reserveCapacity(bytes.count * 2)
    }

    /// Returns indented JSON with a line feed at the end; `nil` if the input is not valid JSON, or is too deeply nested.
    static func format(_ data: Data) -> Data? {
        guard String(validating: data, as: UTF8.self) != nil else { return nil }
        var formatter = PrettyJson(Array(data))
        guard formatter.value(), formatter.next() == nil else { return nil }
        return Data(formatter.output) + Data("\n".utf8)
    }

    // MARK: Grammar

    /// Copies a value.
    ///
    /// - Returns: `false` if there is no valid value.
    private mutating func value() -> Bool {
        switch next() {
        case UInt8(ascii: "{"): list(to: UInt8(ascii: "}")) { $0.member() }
        case UInt8(ascii: "["): list(to: UInt8(ascii: "]")) { $0.value() }
        case UInt8(ascii: "\""): string()
        case UInt8(ascii: "t"): word("true")
        case UInt8(ascii: "f"): word("false")
        case UInt8(ascii: "n"): word("null")
        default: number()
        }
    }

    private mutating func member() -> Bool {
        guard next() == UInt8(ascii: "\""), string(), next() == UInt8(ascii: ":") else { return false }
        take()
        output.append(UInt8(ascii: " "))
        return value()
    }

    private mutating func list(to end: UInt8, of item: (inout PrettyJson) -> Bool) -> Bool {
        depth += 1
        guard depth <= Self.maximumDepth else { return false }
        take()
        if next() == end {
            depth -= 1
            take()
            return true
        }
        while true {
            breakLine()
            guard output.count <= bytes.count * Self.maximumFactor + Self.maximumAddition, item(&self) else {
                return false
            }
            guard next() == UInt8(ascii: ",") else { break }
            take()
        }
        guard next() == end else { return false }
        depth -= 1
        breakLine()
        take()
        return true
    }

    private mutating func string() -> Bool {
        take()
        while let byte = peek, byte != UInt8(ascii: "\"") {
            if byte < 0x20 { return false }
            take()
            if byte == UInt8(ascii: "\\"), !escape() { return false }
        }
        if peek == nil { return false }
        take()
        return true
    }

    private mutating func escape() -> Bool {
        guard let byte = peek, "\"\\/bfnrtu".utf8.contains(byte) else { return false }
        take()
        if byte != UInt8(ascii: "u") { return true }
        for _ in 0..<4 {
            guard let digit = peek, "0123456789abcdefABCDEF".utf8.contains(digit) else { return false }
            take()
        }
        return true
    }

    private mutating func number() -> Bool {
        takeIf("-")
        if !takeIf("0"), !digits() { return false }
        if takeIf("."), !digits() { return false }
        if takeIf("e") || takeIf("E") {
            if !takeIf("+") { takeIf("-") }
            return digits()
        }
        return true
    }

    private mutating func digits() -> Bool {
        let start = position
        while let byte = peek, (0x30...0x39).contains(byte) { take() }
        return position > start
    }

    private mutating func word(_ word: StaticString) -> Bool {
        for letter in word.description.utf8 {
            if peek != letter { return false }
            take()
        }
        return true
    }

    // MARK: Bytes

    private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

    /// Skips whitespace and returns the next byte.
    private mutating func next() -> UInt8? {
        while let byte = peek, byte == 0x20 || (0x09...0x0A).contains(byte) || byte == 0x0D { position += 1 }
        return peek
    }

    private mutating func take() {
        output.append(bytes[position])
        position += 1
    }

    @discardableResult
    private mutating func takeIf(_ character: Unicode.Scalar) -> Bool {
        guard peek == UInt8(ascii: character) else { return false }
        take()
        return true
    }

    private mutating func breakLine() {
        output.append(UInt8(ascii: "\n"))
        output.append(contentsOf: repeatElement(UInt8(ascii: " "), count: depth * 2))
    }
}
