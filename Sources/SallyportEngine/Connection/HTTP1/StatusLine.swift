import HTTPTypes
import NIOCore
import SallyportTransport

/// The status line of a response (RFC 9112, section 4).
struct StatusLine {
    let version: ConnectionFacts.Version
    let status: HTTPResponse.Status

    /// Parses a status line.
    ///
    /// - Throws: ``NetworkError/invalidResponse(_:)``.
    init(_ line: ByteBuffer) throws(NetworkError) {
        let bytes = line.readableBytesUInt8Span
        guard bytes.count >= 12, line.text(0..<7) == "HTTP/1.", bytes[8] == UInt8(ascii: " ") else {
            throw .notHTTP1("it does not begin with a status line")
        }
        switch bytes[7] {
        case UInt8(ascii: "0"): version = .http1_0
        case UInt8(ascii: "1"): version = .http1_1
        default: throw .notHTTP1("its version is not supported")
        }
        var code = 0
        for index in 9..<12 {
            guard bytes[index] >= UInt8(ascii: "0"), bytes[index] <= UInt8(ascii: "9") else {
                throw .notHTTP1("its status is not a number")
            }
            code = code * 10 + Int(bytes[index] - UInt8(ascii: "0"))
        }
        guard code >= 100, bytes.count == 12 || bytes[12] == UInt8(ascii: " ") else {
            throw .notHTTP1("its status is not a number of three digits")
        }
        for index in bytes.indices where !bytes[index].isFieldText {
            throw .notHTTP1("its status line holds a control character")
        }
        // The reason phrase may be missing, and so may the space before it.
        status = HTTPResponse.Status(code: code, reasonPhrase: line.text(min(13, bytes.count)..<bytes.count))
    }
}

extension UInt8 {
    /// A Boolean value that indicates whether a field's value may contain the byte: control characters other than the
    /// tab are not allowed (RFC 9110, section 5.5).
    var isFieldText: Bool { (self >= 0x20 && self != 0x7F) || self == 0x09 }
}

extension ByteBuffer {
    /// Returns a range of the readable bytes as text: as UTF-8 if they are valid, and otherwise as ISO-8859-1 (RFC 9110, section 5.5). The
    /// range is relative to their start.
    func text(_ range: Range<Int>) -> String {
        let text = getString(at: readerIndex + range.lowerBound, length: range.count) ?? ""
        // Invalid bytes become replacement characters, which begin with this byte.
        guard text.utf8.contains(0xEF), let bytes = getBytes(at: readerIndex + range.lowerBound, length: range.count),
            !text.utf8.elementsEqual(bytes)
        else { return text }
        return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }
}
