import Foundation

extension UInt8 {
    /// A Boolean value that indicates whether the byte is a space or a tab (OWS; RFC 9110, section 5.6.3).
    @inlinable package var isBlank: Bool { self == 0x20 || self == 0x09 }

    /// A Boolean value that indicates whether the byte is a decimal digit.
    @inlinable package var isDigit: Bool { 0x30...0x39 ~= self }

    /// A Boolean value that indicates whether the byte is an upper-case letter.
    @inlinable package var isUppercase: Bool { 0x41...0x5A ~= self }

    /// A Boolean value that indicates whether the byte is a hexadecimal digit.
    @inlinable package var isHexDigit: Bool { isDigit || 0x41...0x46 ~= self || 0x61...0x66 ~= self }

    /// A Boolean value that indicates whether the byte is a letter or a decimal digit.
    @inlinable package var isAlphanumeric: Bool { isDigit || 0x41...0x5A ~= self || 0x61...0x7A ~= self }

    /// A Boolean value that indicates whether the byte is a character that URLs need not escape (RFC 3986, section 2.3).
    @inlinable package var isUnreserved: Bool {
        isAlphanumeric || self == UInt8(ascii: "-") || self == UInt8(ascii: ".") || self == UInt8(ascii: "_")
            || self == UInt8(ascii: "~")
    }
}

extension BidirectionalCollection<UInt8> {
    /// Returns the bytes without the spaces and tabs at both ends.
    @inlinable
    package func trimmingBlanks() -> SubSequence {
        let bytes = drop { $0.isBlank }
        guard let last = bytes.lastIndex(where: { !$0.isBlank }) else { return bytes }
        return bytes[...last]
    }
}

extension Sequence<UInt8> {
    /// The bytes in hexadecimal, with lower-case letters.
    @inlinable package var hexadecimal: String {
        func digit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x57 + value }
        var text: [UInt8] = []
        text.reserveCapacity(2 * underestimatedCount)
        for byte in self {
            text.append(digit(byte >> 4))
            text.append(digit(byte & 15))
        }
        return String(decoding: text, as: UTF8.self)
    }
}

extension [UInt8] {
    /// Returns `true` if the bytes contain the bytes of a text, one after another.
    package func containsText(_ text: StaticString) -> Bool {
        withUnsafeBufferPointer { bytes in
            text.withUTF8Buffer { text in
                guard let first = text.first else { return true }
                // A loop is much faster than closures in tests, which are not optimized.
                var start = 0
                while start + text.count <= bytes.count {
                    if bytes[start] == first {
                        var index = 1
                        while index < text.count, bytes[start + index] == text[index] { index += 1 }
                        if index == text.count { return true }
                    }
                    start += 1
                }
                return false
            }
        }
    }
}

// The functions of the standard library compare byte by byte.
extension ArraySlice<UInt8> {
    func firstIndex(of byte: UInt8) -> Int? {
        withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress, let found = memchr(start, Int32(byte), bytes.count) else { return nil }
            return startIndex + (UnsafeRawPointer(found) - start)
        }
    }

    func contains(_ byte: UInt8) -> Bool { firstIndex(of: byte) != nil }
}

extension StringProtocol where UTF8View: BidirectionalCollection {
    /// Returns the text without the spaces and tabs at both ends (OWS; RFC 9110, section 5.6.3).
    package func trimmingBlanks() -> SubSequence {
        let trimmed = utf8.trimmingBlanks()
        return self[trimmed.startIndex..<trimmed.endIndex]
    }
}

/// A set of ASCII characters that tests bytes for membership.
@frozen @usableFromInline
package struct ASCIISet: Sendable {
    @usableFromInline var low: UInt64 = 0
    @usableFromInline var high: UInt64 = 0

    package init(_ characters: StaticString) {
        characters.withUTF8Buffer { for byte in $0 { insert(byte) } }
    }

    package static let letters = ASCIISet("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
    package static let digits = ASCIISet("0123456789")

    package func union(_ other: ASCIISet) -> ASCIISet {
        var union = self
        union.low |= other.low
        union.high |= other.high
        return union
    }

    @inlinable
    package func contains(_ byte: UInt8) -> Bool {
        if byte < 64 { return low & (1 << UInt64(byte)) != 0 }
        return byte < 128 && high & (1 << UInt64(byte - 64)) != 0
    }

    private mutating func insert(_ byte: UInt8) {
        if byte < 64 { low |= 1 << UInt64(byte) } else if byte < 128 { high |= 1 << UInt64(byte - 64) }
    }
}
