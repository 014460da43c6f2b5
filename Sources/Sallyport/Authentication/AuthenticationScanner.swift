/// Reads the parts of an authentication header (RFC 9110, section 11), one after the other.
struct AuthenticationScanner {
    private var rest: ArraySlice<UInt8>

    init(_ text: String) {
        rest = Array(text.utf8)[...]
    }

    var isAtEnd: Bool { rest.isEmpty }

    /// - Returns: Whether there was any.
    @discardableResult
    mutating func skipBlanks() -> Bool {
        !take { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }.isEmpty
    }

    /// Skips commas, and the blanks around them.
    ///
    /// - Returns: Whether there was a comma.
    @discardableResult
    mutating func skipCommas() -> Bool {
        take { ", \t".utf8.contains($0) }.contains(UInt8(ascii: ","))
    }

    /// - Returns: Whether that was the next character.
    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest = rest.dropFirst()
        return true
    }

    mutating func token() -> String? {
        let bytes = take { $0.isAlphanumeric || "!#$%&'*+-.^_`|~".utf8.contains($0) }
        return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
    }

    /// Skips credentials in one piece, such as `dGhlIGVuZA==`, if they stand alone up to a comma or the end.
    mutating func skipToken68() -> Bool {
        let start = rest
        let characters = take { $0.isAlphanumeric || "-._~+/".utf8.contains($0) }
        take { $0 == UInt8(ascii: "=") }
        skipBlanks()
        if !characters.isEmpty, rest.isEmpty || rest.first == UInt8(ascii: ",") { return true }
        rest = start
        return false
    }

    /// A name with its value, a token or in quotes. Nothing is read if the next part is none.
    mutating func parameter() -> (name: String, value: String)? {
        let start = rest
        if let name = token()?.lowercased() {
            skipBlanks()
            if skip("=") {
                skipBlanks()
                if let value = token() ?? quotedString() { return (name, value) }
            }
        }
        rest = start
        return nil
    }

    /// All the parameters that follow, `nil` if one comes twice or there are too many.
    mutating func parameters() -> [String: String]? {
        var parameters: [String: String] = [:]
        var isAmbiguous = false
        var end = self
        while let (name, value) = end.parameter() {
            if parameters.count == Self.mostParameters || parameters.updateValue(value, forKey: name) != nil {
                isAmbiguous = true
            }
            self = end
            guard end.skipCommas() else { break }
        }
        return isAmbiguous ? nil : parameters
    }

    private static let mostParameters = 32

    private mutating func quotedString() -> String? {
        guard skip("\"") else { return nil }
        var bytes: [UInt8] = []
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\"") { return String(decoding: bytes, as: UTF8.self) }
            guard byte == UInt8(ascii: "\\") else {
                bytes.append(byte)
                continue
            }
            guard let escaped = rest.popFirst() else { return nil }
            bytes.append(escaped)
        }
        return nil
    }

    @discardableResult
    private mutating func take(while isWanted: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        let taken = rest.prefix(while: isWanted)
        rest = rest[taken.endIndex...]
        return taken
    }
}
