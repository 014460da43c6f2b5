import HTTPTypes
import NIOCore
import SallyportTransport

/// The fields of a head or of trailers, read line by line (RFC 9112, section 5).
struct FieldLines {
    private(set) var fields = HTTPFields()
    private let limits: ResponseLimits
    private var size = 0

    init(limits: ResponseLimits) {
        self.limits = limits
    }

    /// How many bytes the next line may have.
    var room: Int { limits.headBytes - size }

    /// Takes the next line, without its end.
    ///
    /// - Throws: ``NetworkError/invalidResponse(_:)`` or ``NetworkError/responseTooLarge(_:)``.
    mutating func add(_ line: ByteBuffer) throws(NetworkError) {
        size += line.readableBytes + 2
        guard fields.count < limits.headFields else {
            throw .responseTooLarge(
                NetworkFailure(
                    "the response has more than the \(limits.headFields) fields that are accepted",
                    phase: .head
                )
            )
        }
        guard let colon = line.readableBytesView.firstIndex(of: UInt8(ascii: ":")),
            let name = HTTPField.Name(line.text(line.readerIndex..<colon))
        else { throw .notHTTP1("a field has no name") }
        let value = line.trimmed(colon + 1..<line.writerIndex)
        guard value.isFieldText else { throw .notHTTP1("the field \(name) holds a control character") }
        fields.append(HTTPField(name: name, value: String(buffer: value)))
    }
}

extension ByteBuffer {
    fileprivate func text(_ range: Range<Int>) -> String {
        getString(at: range.lowerBound, length: range.count) ?? ""
    }

    /// A part without the blanks around it, which do not belong to a field's value (RFC 9110, section 5.5).
    fileprivate func trimmed(_ range: Range<Int>) -> ByteBuffer {
        let view = readableBytesView
        var (start, end) = (range.lowerBound, range.upperBound)
        while start < end, view[start].isBlank { start += 1 }
        while start < end, view[end - 1].isBlank { end -= 1 }
        return getSlice(at: start, length: end - start) ?? ByteBuffer()
    }
}
