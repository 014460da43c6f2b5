import Foundation

/// Percent-encoding of URLs, queries and forms.
package enum PercentEncoding {
    private static let alphanumeric = ASCIISet.letters.union(.digits)
    private static let unreserved = alphanumeric.union(ASCIISet("-._~"))
    private static let unreservedInForms = alphanumeric.union(ASCIISet("*-._"))
    /// The characters allowed in a URL, apart from the percent sign of an escape.
    private static let urlBytes = unreserved.union(ASCIISet(":/?#@!$&'()*+,;="))

    /// Returns a text encoded for a URL's query: everything except the unreserved characters of RFC 3986 is escaped.
    package static func query(_ text: String) -> String {
        encode(text, keep: unreserved)
    }

    /// Returns a text encoded for a form (`application/x-www-form-urlencoded` of the URL standard): a space becomes a plus sign.
    package static func form(_ text: String) -> String {
        encode(text, spaceAsPlus: true, keep: unreservedInForms)
    }

    /// Returns a URL, or a part of one, after escaping the characters that are not allowed in URLs. Existing escapes are preserved.
    package static func completed(_ url: Substring) -> String {
        let urlBytes = urlBytes
        if url.utf8.allSatisfy(urlBytes.contains) { return String(url) }
        let bytes = Array(url.utf8)
        var completed = ""
        for (index, byte) in bytes.enumerated() {
            let isEscape =
                byte == UInt8(ascii: "%")
                && bytes[index...].dropFirst().prefix(2).count(where: \.isHexDigit) == 2
            if urlBytes.contains(byte) || isEscape {
                completed.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                completed += "%" + [byte >> 4, byte & 15].map { String($0, radix: 16, uppercase: true) }.joined()
            }
        }
        return completed
    }

    /// Returns the bytes of a text with its escapes decoded. Incomplete escapes are not changed.
    package static func decodedBytes(of text: some Sequence<UInt8>) -> [UInt8] {
        let bytes = Array(text)
        var decoded: [UInt8] = []
        var index = 0
        while index < bytes.count {
            let digits = bytes[index...].dropFirst().prefix(2)
            if bytes[index] == UInt8(ascii: "%"), digits.count(where: \.isHexDigit) == 2,
                let byte = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
            {
                decoded.append(byte)
                index += 3
            } else {
                decoded.append(bytes[index])
                index += 1
            }
        }
        return decoded
    }

    /// Returns the names that servers may find in a segment of a path: some decode escaped slashes before they split the path, or ignore
    /// the parameters of a segment (`;`).
    package static func names(inSegment segment: some Sequence<UInt8>) -> [ArraySlice<UInt8>] {
        decodedBytes(of: segment)
            .split { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }
            .map { part in part.prefix { $0 != UInt8(ascii: ";") } }
    }

    /// Returns the text of a query or form that consists of pairs.
    package static func joined(_ pairs: [(name: String, value: String)], encode: (String) -> String) -> String {
        pairs.map { "\(encode($0.name))=\(encode($0.value))" }.joined(separator: "&")
    }

    private static func encode(_ text: String, spaceAsPlus: Bool = false, keep: ASCIISet) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            if keep.contains(byte) {
                bytes.append(byte)
            } else if spaceAsPlus, byte == UInt8(ascii: " ") {
                bytes.append(UInt8(ascii: "+"))
            } else {
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// Parses queries and forms (`application/x-www-form-urlencoded` of the URL standard).
package enum QueryText {
    /// Returns the pairs in order. Text with invalid escapes is not decoded.
    package static func pairs(of text: some StringProtocol) -> [(name: String, value: String)] {
        text.split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (decoded(parts[0]), parts.count > 1 ? decoded(parts[1]) : "")
        }
    }

    /// Returns a text without the pairs that have a name. The other pairs are unchanged.
    package static func removing(_ name: String, from text: some StringProtocol) -> String {
        let pairs = text.split(separator: "&", omittingEmptySubsequences: false)
        return pairs.filter { pair in decoded(pair.prefix { $0 != "=" }) != name }.joined(separator: "&")
    }

    private static func decoded(_ text: some StringProtocol) -> String {
        let spaced = String(text).replacing("+", with: " ")
        return spaced.removingPercentEncoding ?? spaced
    }
}
