import HTTPTypes
import NIOCore
import SallyportTransport

/// Parses the fields of a head or of trailers line by line (RFC 9112, section 5).
///
/// The heads of one server resemble each other. A line that equals the line at the same index of the last head is not
/// parsed again.
struct FieldLineParser {
    /// The maximum length of a line that is stored for comparison, so that an idle connection uses little memory.
    private static let maximumStoredLine = 512

    private let limits: ResponseLimits
    private var lines: [ByteBuffer] = []
    private var fields = HTTPFields()
    private var count = 0
    private var size = 0

    init(limits: ResponseLimits) {
        self.limits = limits
    }

    /// The maximum length of the next line, in bytes.
    var remainingBytes: Int { limits.headBytes - size }

    /// Adds the next line, without its line ending.
    ///
    /// - Throws: ``NetworkError/invalidResponse(_:)`` or ``NetworkError/responseTooLarge(_:)``.
    mutating func add(_ line: ByteBuffer) throws(NetworkError) {
        size += line.readableBytes + 2
        guard count < min(limits.headFields, HTTPFields.maximumCount) else {
            throw .tooManyFields(limit: limits.headFields)
        }
        if count < lines.count {
            if lines[count] != line {
                // Assigning by index would keep the case of the previous name.
                fields.replaceSubrange(count..<count + 1, with: CollectionOfOne(try HTTPField(line)))
                lines[count] = stored(line)
            }
        } else {
            fields.append(try HTTPField(line))
            lines.append(stored(line))
        }
        count += 1
    }

    /// Returns the fields of the lines added since the last call.
    mutating func take() -> HTTPFields {
        if count < lines.count {
            lines.removeSubrange(count...)
            fields.removeSubrange(count...)
        }
        (count, size) = (0, 0)
        return fields
    }

    /// Returns a copy of a line, as a slice would retain the read buffer, or an empty buffer for a long line. Lines are
    /// never empty, so that an empty buffer equals none.
    private func stored(_ line: ByteBuffer) -> ByteBuffer {
        line.readableBytes > Self.maximumStoredLine ? ByteBuffer() : ByteBuffer(bytes: line.readableBytesView)
    }
}

extension HTTPField {
    /// Parses a field line (RFC 9112, section 5.1).
    ///
    /// - Throws: ``NetworkError/invalidResponse(_:)``.
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
            NetworkFailure(
                "the response has more than the \(limit) fields that are accepted",
                phase: .head,
                advice: SettingAdvice.raiseHeadLimits.rawValue
            )
        )
    }
}

extension HTTPFields {
    /// The maximum number of fields that the collection can hold, regardless of the configured limits.
    static var maximumCount: Int { 65_000 }
}
