import HTTPTypes
import NIOCore
import SallyportTransport

/// The fields of a head or of trailers, read line by line (RFC 9112, section 5).
///
/// A server's heads resemble each other: a line that is the same as in the last head is not read again.
struct FieldLines {
    /// A longer line is not remembered, so that an idle connection holds little.
    private static let longestRemembered = 512

    private let limits: ResponseLimits
    private var lines: [ByteBuffer] = []
    private var fields = HTTPFields()
    private var count = 0
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
        guard count < min(limits.headFields, HTTPFields.most) else { throw .tooManyFields(limit: limits.headFields) }
        if count < lines.count {
            if lines[count] != line {
                // Setting it by its index would keep the name as it was written before.
                fields.replaceSubrange(count..<count + 1, with: CollectionOfOne(try HTTPField(line)))
                lines[count] = remembered(line)
            }
        } else {
            fields.append(try HTTPField(line))
            lines.append(remembered(line))
        }
        count += 1
    }

    /// The fields of the lines that were added since this was last asked.
    mutating func take() -> HTTPFields {
        if count < lines.count {
            lines.removeSubrange(count...)
            fields.removeSubrange(count...)
        }
        (count, size) = (0, 0)
        return fields
    }

    /// A copy, as the line itself would keep all that was read with it. No line is empty.
    private func remembered(_ line: ByteBuffer) -> ByteBuffer {
        line.readableBytes > Self.longestRemembered ? ByteBuffer() : ByteBuffer(bytes: line.readableBytesView)
    }
}

extension HTTPField {
    /// - Throws: ``NetworkError/invalidResponse(_:)`` for what is no field (RFC 9112, section 5.1).
    fileprivate init(_ line: ByteBuffer) throws(NetworkError) {
        let bytes = line.readableBytesUInt8Span
        var colon = 0
        while colon < bytes.count, bytes[colon] != UInt8(ascii: ":") { colon += 1 }
        guard colon < bytes.count, let name = HTTPField.Name(line.text(0..<colon)) else {
            throw .notHTTP1("a field has no name")
        }
        var (start, end) = (colon + 1, bytes.count)
        while start < end, bytes[start].isBlank { start += 1 }
        while start < end, bytes[end - 1].isBlank { end -= 1 }
        for index in start..<end where !bytes[index].isFieldText {
            throw .notHTTP1("the field \(name) holds a control character")
        }
        self.init(name: name, value: line.text(start..<end))
    }
}

extension NetworkError {
    fileprivate static func tooManyFields(limit: Int) -> NetworkError {
        .responseTooLarge(
            NetworkFailure("the response has more than the \(limit) fields that are accepted", phase: .head)
        )
    }
}

extension HTTPFields {
    /// A collection of fields holds no more than this, whatever the limits are.
    static var most: Int { 65_000 }
}
