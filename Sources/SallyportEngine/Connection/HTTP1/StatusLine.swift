import HTTPTypes
import NIOCore
import SallyportTransport

/// The first line of a response (RFC 9112, section 4).
struct StatusLine {
    let version: ConnectionFacts.Version
    let status: HTTPResponse.Status

    /// - Throws: ``NetworkError/invalidResponse(_:)``.
    init(_ line: ByteBuffer) throws(NetworkError) {
        let bytes = line.readableBytesUInt8Span
        guard bytes.count >= 12, line.readableBytesView.starts(with: "HTTP/1.".utf8), bytes[8] == UInt8(ascii: " ")
        else {
            throw .notHTTP1("it does not begin with a status line")
        }
        switch bytes[7] {
        case UInt8(ascii: "0"): version = .http1_0
        case UInt8(ascii: "1"): version = .http1_1
        default: throw .notHTTP1("its version is another")
        }
        var code = 0
        for index in 9..<12 {
            guard bytes[index].isDigit else { throw .notHTTP1("its status is not a number") }
            code = code * 10 + Int(bytes[index] - UInt8(ascii: "0"))
        }
        guard code >= 100, bytes.count == 12 || bytes[12] == UInt8(ascii: " ") else {
            throw .notHTTP1("its status is not a number of three digits")
        }
        status = HTTPResponse.Status(code: code, reasonPhrase: try Self.reason(of: line))
    }

    /// A reason phrase may be missing, and so may the blank before it.
    private static func reason(of line: ByteBuffer) throws(NetworkError) -> String {
        guard line.readableBytes > 13 else { return "" }
        guard let phrase = line.getSlice(at: line.readerIndex + 13, length: line.readableBytes - 13), phrase.isFieldText
        else { throw .notHTTP1("its reason phrase holds a control character") }
        return String(buffer: phrase)
    }
}

extension UInt8 {
    var isDigit: Bool { self >= UInt8(ascii: "0") && self <= UInt8(ascii: "9") }

    var isBlank: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") }
}

extension ByteBuffer {
    /// Whether all of it may stand in a field's value: no control character but the tab (RFC 9110, section 5.5).
    var isFieldText: Bool {
        let bytes = readableBytesUInt8Span
        for index in bytes.indices where (bytes[index] < 0x20 && bytes[index] != 0x09) || bytes[index] == 0x7F {
            return false
        }
        return true
    }
}
