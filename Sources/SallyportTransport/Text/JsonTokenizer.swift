/// A token of a JSON text (RFC 8259, section 2).
package enum JsonToken: Sendable, Equatable {
    case objectStart
    case objectEnd
    case arrayStart
    case arrayEnd
    case colon
    case comma
    /// A string, including its quotation marks.
    case string
    case number
    case `true`
    case `false`
    case null
    /// The end of the text.
    case end
    /// Bytes that are not a token. The tokenizer does not advance beyond them.
    case invalid
}

/// Splits a JSON text into tokens, strictly by RFC 8259.
///
/// The tokenizer checks each token, but neither their order nor whether the text is valid UTF-8.
package struct JsonTokenizer: Sendable {
    package let bytes: [UInt8]

    /// The current token.
    package private(set) var token = JsonToken.invalid

    /// The range of the current token's bytes.
    package private(set) var range = 0..<0

    /// Creates a tokenizer. Its current token is the first one of a text.
    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
        advance()
    }

    /// The bytes of the current token.
    package var tokenBytes: ArraySlice<UInt8> { bytes[range] }

    /// Moves to the next token.
    package mutating func advance() {
        if token == .invalid, range.upperBound > 0 { return }
        var start = range.upperBound
        while start < bytes.count, Self.isWhitespace(bytes[start]) { start += 1 }
        var end = start
        token = scan(&end)
        // The range of an invalid token is not empty, so that the next call stays there.
        range = start..<(token == .invalid ? bytes.count : end)
    }

    /// Moves to the next token if the current one is the expected one.
    ///
    /// - Returns: `false` if it is another one.
    package mutating func take(_ expected: JsonToken) -> Bool {
        guard token == expected else { return false }
        advance()
        return true
    }

    private func scan(_ position: inout Int) -> JsonToken {
        guard position < bytes.count else { return .end }
        let first = bytes[position]
        switch first {
        case UInt8(ascii: "\""): return scanString(&position) ? .string : .invalid
        case UInt8(ascii: "t"): return scan("true", as: .true, &position)
        case UInt8(ascii: "f"): return scan("false", as: .false, &position)
        case UInt8(ascii: "n"): return scan("null", as: .null, &position)
        case UInt8(ascii: "-"), 0x30...0x39:
            return scanNumber(&position) && isDelimited(position) ? .number : .invalid
        default:
            guard let token = Self.punctuation(first) else { return .invalid }
            position += 1
            return token
        }
    }

    private static func punctuation(_ byte: UInt8) -> JsonToken? {
        switch byte {
        case UInt8(ascii: "{"): .objectStart
        case UInt8(ascii: "}"): .objectEnd
        case UInt8(ascii: "["): .arrayStart
        case UInt8(ascii: "]"): .arrayEnd
        case UInt8(ascii: ":"): .colon
        case UInt8(ascii: ","): .comma
        default: nil
        }
    }

    private static func isWhitespace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }

    /// Returns a Boolean value that indicates whether a literal or number may end at a position.
    private func isDelimited(_ position: Int) -> Bool {
        guard position < bytes.count else { return true }
        let byte = bytes[position]
        return !byte.isAlphanumeric && byte != UInt8(ascii: "+") && byte != UInt8(ascii: "-")
            && byte != UInt8(ascii: ".")
    }

    private func scan(_ literal: StaticString, as token: JsonToken, _ position: inout Int) -> JsonToken {
        let matches = literal.withUTF8Buffer { bytes[position...].starts(with: $0) }
        guard matches else { return .invalid }
        position += literal.utf8CodeUnitCount
        return isDelimited(position) ? token : .invalid
    }

    private func scanNumber(_ position: inout Int) -> Bool {
        take(UInt8(ascii: "-"), &position)
        if !take(UInt8(ascii: "0"), &position), !scanDigits(&position) { return false }
        if take(UInt8(ascii: "."), &position), !scanDigits(&position) { return false }
        if take(UInt8(ascii: "e"), &position) || take(UInt8(ascii: "E"), &position) {
            if !take(UInt8(ascii: "+"), &position) { take(UInt8(ascii: "-"), &position) }
            return scanDigits(&position)
        }
        return true
    }

    @discardableResult
    private func take(_ byte: UInt8, _ position: inout Int) -> Bool {
        guard position < bytes.count, bytes[position] == byte else { return false }
        position += 1
        return true
    }

    private func scanDigits(_ position: inout Int) -> Bool {
        let start = position
        while position < bytes.count, bytes[position].isDigit { position += 1 }
        return position > start
    }

    private func scanString(_ position: inout Int) -> Bool {
        position += 1
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "\""):
                position += 1
                return true
            case UInt8(ascii: "\\"):
                guard let length = escapeLength(at: position) else { return false }
                position += length
            case ..<0x20:
                return false
            default:
                position += 1
            }
        }
        return false
    }

    /// Returns the length of an escape sequence; `nil` if it is invalid.
    private func escapeLength(at position: Int) -> Int? {
        guard position + 1 < bytes.count else { return nil }
        switch bytes[position + 1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            return 2
        case UInt8(ascii: "u"):
            let digits = bytes[(position + 2)...].prefix(4)
            return digits.count == 4 && digits.allSatisfy(\.isHexDigit) ? 6 : nil
        default:
            return nil
        }
    }
}

extension JsonTokenizer {
    /// The value of the current token, which is a string; `nil` if it contains an unpaired surrogate.
    package var string: String? {
        let content = bytes[(range.lowerBound + 1)..<(range.upperBound - 1)]
        guard content.contains(UInt8(ascii: "\\")) else { return String(decoding: content, as: UTF8.self) }
        var text: [UInt8] = []
        text.reserveCapacity(content.count)
        var rest = content
        while let byte = rest.popFirst() {
            if byte != UInt8(ascii: "\\") {
                text.append(byte)
                continue
            }
            guard let scalar = Self.unescape(&rest) else { return nil }
            text.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Removes the rest of an escape sequence, after its backslash, from bytes that have been checked.
    private static func unescape(_ rest: inout ArraySlice<UInt8>) -> Unicode.Scalar? {
        switch rest.popFirst() {
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"):
            let unit = codeUnit(&rest)
            guard UTF16.isLeadSurrogate(unit) else { return Unicode.Scalar(unit) }
            guard rest.starts(with: "\\u".utf8) else { return nil }
            rest = rest.dropFirst(2)
            let trail = codeUnit(&rest)
            return UTF16.isTrailSurrogate(trail) ? UTF16.decode(UTF16.EncodedScalar([unit, trail])) : nil
        case let byte?: return Unicode.Scalar(byte)
        case nil: return nil
        }
    }

    private static func codeUnit(_ rest: inout ArraySlice<UInt8>) -> UInt16 {
        defer { rest = rest.dropFirst(4) }
        return UInt16(String(decoding: rest.prefix(4), as: UTF8.self), radix: 16) ?? 0
    }
}
