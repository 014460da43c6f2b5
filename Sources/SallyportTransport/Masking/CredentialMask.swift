// Credentials that their own form shows: users of URLs, JOSE tokens, and what follows the name of an authentication scheme.

extension SecretMasker {
    /// Returns a Boolean value that indicates whether a text may contain a secret. It is a quick check before the search.
    static func mayContainSecret(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        var previous: UInt8 = 0
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            switch byte {
            case UInt8(ascii: "="), UInt8(ascii: "%"), UInt8(ascii: "@"): return true
            // JOSE tokens begin with eyJ.
            case UInt8(ascii: "J") where previous == UInt8(ascii: "y"): return true
            // "auth" of a registration, or the last letter of Bearer, Basic, DPoP, Digest, Negotiate or NTLM.
            case UInt8(ascii: "h"), UInt8(ascii: "H"): if previous | 0x20 == UInt8(ascii: "t") { return true }
            case 0x20: if schemeEnds.contains(previous) { return true }
            default: break
            }
            previous = byte
        }
        return false
    }

    private static let schemeEnds = ASCIISet("rcptemRCPTEM")

    /// Returns a Boolean value that indicates whether a text contains a URI that registers a device for push or one-time passwords, and
    /// thereby the secret of the device. Scripts contain it escaped, so only its scheme and the start of a colon are compared.
    static func isRegistration(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        var last: UInt64 = 0
        var isScheme = false
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            if isScheme, ":\\%&".utf8.contains(byte) { return true }
            last = last << 8 | UInt64(byte | 0x20)
            // "auth" with "push", "otp" or "mf" before it.
            let before = last >> 32
            isScheme =
                UInt32(truncatingIfNeeded: last) == 0x6175_7468
                && (before == 0x7075_7368 || before & 0xFF_FFFF == 0x6F_7470 || before & 0xFFFF == 0x6D66)
        }
        return false
    }

    /// Returns a text with the users of URLs, JOSE tokens and the credentials after the names of schemes masked.
    mutating func withoutCredentials(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var unchanged = 0
        var index = 0
        while index < bytes.count {
            guard let (start, end) = credential(in: bytes, at: index) else {
                index += 1
                continue
            }
            if start == end {
                index = max(end, index + 1)
                continue
            }
            collect(bytes[start..<end])
            result += bytes[unchanged..<start]
            result += Self.maskBytes
            (unchanged, index) = (end, end)
        }
        return unchanged == 0 ? bytes : result + bytes[unchanged...]
    }

    /// Returns the range of a credential that begins at an index, or after a scheme there. An empty range is text to skip.
    private func credential(in bytes: [UInt8], at index: Int) -> (Int, Int)? {
        switch bytes[index] {
        case UInt8(ascii: "/") where bytes[index...].dropFirst().first == UInt8(ascii: "/"):
            let start = index + 2
            let authority = bytes[start...].prefix { !"/?# \t\r\n\"<>".utf8.contains($0) }
            guard let at = authority.lastIndex(of: UInt8(ascii: "@")) else {
                return (authority.endIndex, authority.endIndex)
            }
            return at > start ? (start, at) : nil
        case UInt8(ascii: "e") where bytes[index...].starts(with: "eyJ".utf8):
            let token = bytes[index...].prefix { $0.isAlphanumeric || "-_.".utf8.contains($0) }
            let isToken = token.count { $0 == UInt8(ascii: ".") } >= 2
            return isToken ? (index, token.endIndex) : (token.endIndex, token.endIndex)
        default:
            return schemeCredential(in: bytes, at: index)
        }
    }

    private static let schemes: [StaticString] = ["bearer", "basic", "dpop", "digest", "negotiate", "ntlm"]
    private static let credentialEnds = ASCIISet(" \t\r\n,;\"'<>")

    private func schemeCredential(in bytes: [UInt8], at index: Int) -> (Int, Int)? {
        let letter = bytes[index] | 0x20
        guard letter == UInt8(ascii: "b") || letter == UInt8(ascii: "d") || letter == UInt8(ascii: "n"),
            index == 0 || !bytes[index - 1].isAlphanumeric && bytes[index - 1] != UInt8(ascii: "_")
        else { return nil }
        let word = bytes[index...].prefix(10).prefix { $0 != 0x20 }.map { $0 | 0x20 }
        guard let scheme = Self.schemes.first(where: { $0.utf8CodeUnitCount == word.count && word.containsText($0) })
        else { return nil }
        let start = bytes[(index + word.count)...].drop { $0 == 0x20 }.startIndex
        guard start > index + word.count else { return nil }
        let value = bytes[start...].prefix { !Self.credentialEnds.contains($0) }
        guard let first = value.first, first.isAlphanumeric || "-._~+/=".utf8.contains(first) else { return nil }
        if scheme.utf8CodeUnitCount == 6, word.containsText("digest"), value.starts(with: "username=".utf8) {
            return (start, bytes[start...].prefix { $0 != 0x0A }.endIndex)
        }
        return isChallenge(value, bytes) || Self.isProse(value, after: word) ? nil : (start, value.endIndex)
    }

    /// Returns a Boolean value that indicates whether a parameter of a challenge follows a scheme, such as a realm.
    private func isChallenge(_ value: ArraySlice<UInt8>, _ bytes: [UInt8]) -> Bool {
        guard let equals = value.firstIndex(of: UInt8(ascii: "=")) else { return false }
        let next = bytes[equals...].dropFirst().first
        // The padding of a credential may precede a quotation mark too, but names are short and lower-case.
        let isName = value[..<equals].count <= 24 && value[..<equals].allSatisfy { !$0.isUppercase && !$0.isDigit }
        return next == UInt8(ascii: "\"") && isName
            || Self.parameters.contains(String(decoding: value[..<equals], as: UTF8.self))
    }

    private static let parameters: Set = [
        "realm", "error", "error_description", "error_uri", "scope", "charset", "algs", "nonce", "qop", "stale",
    ]

    /// Returns a Boolean value that indicates whether a word belongs to a sentence, such as "Bearer token".
    private static func isProse(_ value: ArraySlice<UInt8>, after scheme: [UInt8]) -> Bool {
        let word = value.filter(\.isAlphanumeric)
        if scheme.containsText("ntlm") || scheme.containsText("negotiate") { return value.count < 16 }
        if scheme.containsText("basic") || scheme.containsText("digest") {
            return word.allSatisfy(\.isUppercase)
                || word.allSatisfy { $0.isAlphanumeric && !$0.isUppercase && !$0.isDigit }
        }
        return words.contains(String(decoding: word, as: UTF8.self).lowercased())
    }

    private static let words: Set = [
        "token", "tokens", "auth", "authentication", "authorization", "credentials", "scheme", "header", "realm",
        "proof", "bound",
        "proofs", "of", "is", "or", "and", "in", "for", "with",
    ]
}
