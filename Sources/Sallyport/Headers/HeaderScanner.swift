import SallyportTransport

/// Reads a header's value of the form `value; name=value; name="value"`, one part after the other.
///
/// Senders do not always keep to the grammar: a value without quotes goes on to the next semicolon, whatever it holds.
struct HeaderScanner {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) {
        rest = bytes[...]
    }

    var isAtEnd: Bool { rest.isEmpty }

    /// What is before the first parameter, in lower case.
    mutating func leadingValue() -> String {
        Self.text(take { $0 != UInt8(ascii: ";") }.trimmingBlanks()).lowercased()
    }

    /// The name of the next parameter in lower case, after which its value can be read; `nil` at the end.
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

    /// A parameter's value: a quoted string of RFC 9110, or all up to the next semicolon.
    mutating func value() -> [UInt8] {
        guard rest.first == UInt8(ascii: "\"") else { return Array(take { $0 != UInt8(ascii: ";") }.trimmingBlanks()) }
        rest = rest.dropFirst()
        var value: [UInt8] = []
        while let byte = rest.popFirst(), byte != UInt8(ascii: "\"") {
            value.append(byte == UInt8(ascii: "\\") ? rest.popFirst() ?? byte : byte)
        }
        return value
    }

    /// A value as the HTML standard writes it in forms: a quote is `%22`, a backslash stands for itself.
    ///
    /// A backslash before a quote that cannot be the last one escapes it, as some senders do it.
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

    /// Whether a parameter may be over before these bytes.
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

    /// Bytes as UTF-8, or as ISO-8859-1 if they are not.
    static func text(_ bytes: some Collection<UInt8>) -> String {
        utf8(bytes) ?? latin1(bytes)
    }

    /// Bytes as UTF-8; `nil` if they are not.
    static func utf8(_ bytes: some Collection<UInt8>) -> String? {
        let text = String(decoding: bytes, as: UTF8.self)
        return text.utf8.elementsEqual(bytes) ? text : nil
    }

    /// Bytes as ISO-8859-1.
    static func latin1(_ bytes: some Collection<UInt8>) -> String {
        var text = String.UnicodeScalarView()
        for byte in bytes { text.append(Unicode.Scalar(byte)) }
        return String(text)
    }
}
