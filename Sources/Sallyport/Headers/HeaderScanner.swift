import SallyportTransport

/// Reads the elements of a header value of the form `value; name=value; name="value"` one after the other.
///
/// It is lenient, because senders often violate the grammar: a value without quotes extends to the next semicolon.
struct HeaderScanner {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) {
        rest = bytes[...]
    }

    var isAtEnd: Bool { rest.isEmpty }

    /// Reads the value before the first parameter, and returns it in lower case.
    mutating func leadingValue() -> String {
        Self.text(take { $0 != UInt8(ascii: ";") }.trimmingBlanks()).lowercased()
    }

    /// Reads the name of the next parameter, and returns it in lower case; `nil` at the end. Read its value next.
    mutating func parameterName() -> String? {
        while !rest.isEmpty {
            take { $0 == UInt8(ascii: ";") || $0.isBlank }
            let name = take { $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: ";") }.trimmingBlanks()
            guard rest.first == UInt8(ascii: "=") else { continue }
            rest = rest.dropFirst()
            take { $0.isBlank }
            if !name.isEmpty { return Self.text(name).lowercased() }
            _ = value()
        }
        return nil
    }

    /// Reads the value of a parameter: a quoted string (RFC 9110), or all bytes up to the next semicolon.
    mutating func value() -> [UInt8] {
        guard rest.first == UInt8(ascii: "\"") else { return Array(take { $0 != UInt8(ascii: ";") }.trimmingBlanks()) }
        rest = rest.dropFirst()
        var value: [UInt8] = []
        while let byte = rest.popFirst(), byte != UInt8(ascii: "\"") {
            value.append(byte == UInt8(ascii: "\\") ? rest.popFirst() ?? byte : byte)
        }
        return value
    }

    /// Reads the value of a parameter in the syntax of the HTML Standard for forms: a quotation mark is `%22`, and a backslash is not an
    /// escape character.
    ///
    /// A backslash still escapes a quotation mark that cannot be the closing one, because some senders use it.
    mutating func valueInForm() -> [UInt8] {
        guard rest.first == UInt8(ascii: "\"") else { return value() }
        rest = rest.dropFirst()
        var value: [UInt8] = []
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\\"), rest.first == UInt8(ascii: "\""), !isEnd(after: rest.dropFirst()) {
                value.append(UInt8(ascii: "\""))
                rest = rest.dropFirst()
            } else if byte == UInt8(ascii: "\"") {
                break
            } else {
                value.append(byte)
            }
        }
        return value
    }

    /// Returns a Boolean value that indicates whether a parameter may end before these bytes.
    private func isEnd(after bytes: ArraySlice<UInt8>) -> Bool {
        let next = bytes.first { !$0.isBlank }
        return next == nil || next == UInt8(ascii: ";")
    }

    @discardableResult
    private mutating func take(while isWanted: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        let taken = rest.prefix(while: isWanted)
        rest = rest[taken.endIndex...]
        return taken
    }

    /// Returns bytes as text: as UTF-8 if they are valid UTF-8, otherwise as ISO-8859-1.
    static func text(_ bytes: some Collection<UInt8>) -> String {
        utf8(bytes) ?? latin1(bytes)
    }

    /// Returns bytes as UTF-8 text; `nil` if they are not valid UTF-8.
    static func utf8(_ bytes: some Collection<UInt8>) -> String? {
        let text = String(decoding: bytes, as: UTF8.self)
        return text.utf8.elementsEqual(bytes) ? text : nil
    }

    /// Returns bytes as ISO-8859-1 text.
    static func latin1(_ bytes: some Collection<UInt8>) -> String {
        var text = String.UnicodeScalarView()
        for byte in bytes { text.append(Unicode.Scalar(byte)) }
        return String(text)
    }
}
