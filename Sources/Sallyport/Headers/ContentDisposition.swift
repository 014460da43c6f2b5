import HTTPTypes
import SallyportTransport

/// The `Content-Disposition` header of a response (RFC 6266): its disposition type and the suggested file name.
///
/// The file name is not safe to use as a path. Use ``SafeFileName`` before writing a file.
package struct ContentDisposition: Sendable, Hashable {
    /// The disposition type in lower case, such as `attachment` or `inline`.
    package var type: String

    /// The file name: `filename*` (RFC 8187) if it is valid and not empty, otherwise `filename` (RFC 6266, section 4.3).
    package var filename: String?

    /// Parses the value of a header. Invalid parameters are ignored.
    package init(_ value: String) {
        self.init(bytes: Array(value.utf8))
    }

    /// Parses the value of a header. Bytes that are not UTF-8 are interpreted as ISO-8859-1.
    package init(bytes: [UInt8]) {
        var scanner = HeaderScanner(bytes)
        type = scanner.leadingValue()
        var plain: String?
        var extended: String?
        while let name = scanner.parameterName() {
            let value = scanner.value()
            switch name {
            case "filename": plain = plain ?? HeaderScanner.text(value)
            case "filename*": extended = extended ?? ExtendedValue.decoded(value)
            default: break
            }
        }
        filename = extended?.isEmpty == false ? extended : plain ?? extended
    }
}

extension HTTPFields {
    /// The first `Content-Disposition` field, if there is one.
    package var contentDisposition: ContentDisposition? {
        self[fields: .contentDisposition].first.map { field in
            ContentDisposition(bytes: field.withUnsafeBytesOfValue(Array.init))
        }
    }
}

/// The value of a parameter whose name ends with an asterisk (RFC 8187), such as `UTF-8'en'na%C3%AFve.txt`.
enum ExtendedValue {
    /// Returns the text; `nil` if its charset is neither UTF-8 nor ISO-8859-1, or if it is malformed.
    static func decoded(_ value: [UInt8]) -> String? {
        let parts = value.split(separator: UInt8(ascii: "'"), maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let bytes = unescaped(parts[2]) else { return nil }
        switch String(decoding: parts[0], as: UTF8.self).lowercased() {
        case "utf-8": return HeaderScanner.utf8(bytes)
        case "iso-8859-1": return HeaderScanner.latin1(bytes)
        default: return nil
        }
    }

    private static func unescaped(_ bytes: ArraySlice<UInt8>) -> [UInt8]? {
        var rest = bytes
        var unescaped: [UInt8] = []
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                unescaped.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else {
                return nil
            }
            unescaped.append(high << 4 | low)
        }
        return unescaped
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
