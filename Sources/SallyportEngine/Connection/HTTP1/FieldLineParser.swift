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
    /// The number of lines that continue the value of the field before them.
    private var continuations = 0
    private var size = 0

    init(limits: ResponseLimits) {
        self.limits = limits
    }

    /// The maximum length of the next line, in bytes.
    var remainingBytes: Int { limits.headBytes - size }

    /// Adds the next line, without its line ending. A line that begins with white space continues the value before it.
    ///
    /// - Throws: ``NetworkError/invalidResponse(_:)`` or ``NetworkError/responseTooLarge(_:)``.
    mutating func add(_ line: ByteBuffer) throws(NetworkError) {
        size += line.readableBytes + 2
        guard count + continuations < min(limits.headFields, HTTPFields.maximumCount) else {
            throw .tooManyFields(limit: limits.headFields)
        }
        if count < lines.count {
            if lines[count] != line {
                if line.beginsWithBlank { return try fold(line) }
                // Assigning by index would keep the case of the previous name.
                fields.replaceSubrange(count..<count + 1, with: CollectionOfOne(try HTTPField(line)))
                lines[count] = stored(line)
            }
        } else {
            if line.beginsWithBlank { return try fold(line) }
            fields.append(try HTTPField(line))
            lines.append(stored(line))
        }
        count += 1
    }

    /// Appends a line to the value of the last field, as the obsolete line folding requires (RFC 9112, section 5.2).
    ///
    /// The lengths and the transfer coding must be on one line, as recipients that disagree about them would disagree about the end of
    /// the body.
    private mutating func fold(_ line: ByteBuffer) throws(NetworkError) {
        guard count > 0 else { throw .notHTTP1("its first field begins with white space") }
        let field = fields[count - 1]
        guard field.name != .contentLength, field.name != .transferEncoding else {
            throw .notHTTP1("the field \(field.name) is continued on another line")
        }
        let continuation = try line.fieldValue(0..<line.readableBytes, of: field.name)
        let value = [field.value, continuation].filter { !$0.isEmpty }.joined(separator: " ")
        fields.replaceSubrange(count - 1..<count, with: CollectionOfOne(HTTPField(name: field.name, value: value)))
        // The same line in the next head may not be continued.
        lines[count - 1] = ByteBuffer()
        continuations += 1
    }

    /// Returns the fields of the lines added since the last call.
    mutating func take() -> HTTPFields {
        if count < lines.count {
            lines.removeSubrange(count...)
            fields.removeSubrange(count...)
        }
        (count, continuations, size) = (0, 0, 0)
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
        self.init(name: name, value: try line.fieldValue(colon + 1..<bytes.count, of: name))
    }
}

extension ByteBuffer {
    fileprivate var beginsWithBlank: Bool { readableBytesView.first?.isBlank == true }

    /// Returns a field's value without the blanks at its ends.
    ///
    /// - Throws: ``NetworkError/invalidResponse(_:)`` for a control character.
    fileprivate func fieldValue(_ range: Range<Int>, of name: HTTPField.Name) throws(NetworkError) -> String {
        let bytes = readableBytesUInt8Span
        var (start, end) = (range.lowerBound, range.upperBound)
        while start < end, bytes[start].isBlank { start += 1 }
        while start < end, bytes[end - 1].isBlank { end -= 1 }
        for index in start..<end where !bytes[index].isFieldText {
            throw .notHTTP1("the field \(name) holds a control character")
        }
        return text(start..<end)
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
