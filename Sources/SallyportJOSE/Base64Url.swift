import Foundation

/// Base64 with the URL-safe alphabet and without padding (RFC 7515, section 2; RFC 4648, section 5).
package enum Base64Url {
    /// Encodes bytes.
    package static func encode(_ bytes: some DataProtocol) -> String {
        var text = Data(bytes).base64EncodedString()
        text.replace("+", with: "-")
        text.replace("/", with: "_")
        return String(text.prefix { $0 != "=" })
    }

    /// Decodes text.
    ///
    /// - Returns: The bytes; `nil` for padding, invalid characters, and unused bits that are not zero.
    package static func decode(_ text: some StringProtocol) -> Data? {
        guard text.utf8.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "=") })
        else { return nil }
        var standard = String(text)
        standard.replace("-", with: "+")
        standard.replace("_", with: "/")
        standard += String(repeating: "=", count: (4 - standard.utf8.count % 4) % 4)
        guard let data = Data(base64Encoded: standard), encode(data) == text else { return nil }
        return data
    }

    /// Returns the reason why text that cannot be decoded is not base64url, as the end of a sentence.
    static func problem(with text: some StringProtocol) -> String {
        if text.isEmpty { return "is empty" }
        let usesOtherAlphabet = text.utf8.contains { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "/") }
        switch (usesOtherAlphabet, text.hasSuffix("=")) {
        case (true, true):
            return "is padded (=) and has the alphabet of base64 (+ and /), which base64url does not allow"
        case (true, false): return "has the alphabet of base64 (+ and /) instead of that of base64url (- and _)"
        case (false, true): return "is padded (=), which base64url does not allow"
        case (false, false): return "is not base64url"
        }
    }
}
