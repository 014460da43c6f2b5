import Foundation

/// Decodes text by its byte order mark, or else by the charset of its media type.
package enum BodyText {
    package static func decode(_ data: Data, contentType: String?) -> String {
        let bytes = [UInt8](data)
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return utf8(bytes.dropFirst(3)) }
        if bytes.starts(with: [0xFF, 0xFE]) { return utf16(bytes.dropFirst(2), highByte: 1) }
        if bytes.starts(with: [0xFE, 0xFF]) { return utf16(bytes.dropFirst(2), highByte: 0) }
        switch charset(of: contentType) {
        case "utf-16", "utf-16le": return utf16(bytes[...], highByte: 1)
        case "utf-16be": return utf16(bytes[...], highByte: 0)
        case "iso-8859-1", "latin1", "iso8859-1": return singleBytes(bytes) { Unicode.Scalar($0) }
        case "windows-1252", "cp1252": return singleBytes(bytes, windows1252)
        default: return utf8(bytes[...])
        }
    }

    /// Returns a Boolean value that indicates whether each byte of a text with a media type is a character.
    package static func isSingleByte(_ contentType: String?) -> Bool {
        ["iso-8859-1", "latin1", "iso8859-1", "windows-1252", "cp1252"].contains(charset(of: contentType))
    }

    /// Returns "an HTML page" or "an XML document" if a body begins like one; otherwise `nil`.
    package static func markup(_ data: Data) -> String? {
        let text = decode(data.prefix(1024), contentType: nil).drop { $0.isWhitespace }
        guard text.first == "<" else { return nil }
        let start = text.prefix(15).lowercased()
        return start.hasPrefix("<!doctype html") || start.hasPrefix("<html") ? "an HTML page" : "an XML document"
    }

    /// Returns the charset parameter of a media type, in lower case and without quotes (RFC 9110, section 8.3).
    static func charset(of contentType: String?) -> String? {
        for parameter in (contentType ?? "").split(separator: ";").dropFirst() {
            let parts = parameter.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, trimmed(parts[0]) == "charset" else { continue }
            return trimmed(parts[1])
        }
        return nil
    }

    private static func trimmed(_ text: Substring) -> String {
        text.trimmingCharacters(in: CharacterSet(charactersIn: " \t\"")).lowercased()
    }

    private static func utf8(_ bytes: ArraySlice<UInt8>) -> String {
        String(decoding: bytes, as: UTF8.self)
    }

    private static func utf16(_ bytes: ArraySlice<UInt8>, highByte: Int) -> String {
        let first = bytes.startIndex
        var units = stride(from: first, to: bytes.endIndex - 1, by: 2).map { index in
            UInt16(bytes[index + highByte]) << 8 | UInt16(bytes[index + 1 - highByte])
        }
        if bytes.count % 2 == 1 { units.append(0xFFFD) }
        return String(decoding: units, as: UTF16.self)
    }

    private static func singleBytes(_ bytes: [UInt8], _ scalar: (UInt8) -> Unicode.Scalar) -> String {
        var text = String.UnicodeScalarView()
        for byte in bytes { text.append(scalar(byte)) }
        return String(text)
    }

    private static func windows1252(_ byte: UInt8) -> Unicode.Scalar {
        guard (0x80...0x9F).contains(byte), let scalar = Unicode.Scalar(windows1252Middle[Int(byte) - 0x80]) else {
            return Unicode.Scalar(byte)
        }
        return scalar
    }

    /// The characters of 0x80 to 0x9F, where windows-1252 differs from ISO-8859-1.
    private static let windows1252Middle: [UInt32] = [
        0x20AC, 0x0081, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021,
        0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x008D, 0x017D, 0x008F,
        0x0090, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
        0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x009D, 0x017E, 0x0178,
    ]
}
