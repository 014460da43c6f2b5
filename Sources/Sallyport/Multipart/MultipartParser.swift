import Foundation
import HTTPTypes
import SallyportTransport

/// A parser for multipart bodies (RFC 2046, section 5.1), which receives bytes in pieces of any size and returns events.
///
/// It buffers only the last piece and a possible beginning of a boundary line. Because the boundary contains no line breaks, each
/// byte is examined a bounded number of times, whatever the input.
struct MultipartParser: Sendable {
    enum Event: Sendable, Equatable {
        /// The beginning of a part, with its headers.
        case part(HTTPFields)
        /// A chunk of the content of the part, never empty.
        case content(Data)
        /// The end of the part.
        case partEnd
        /// The end of the body.
        case end
    }

    private enum State {
        case preamble, headers, start, content, epilogue, over
    }

    /// The length of CR LF.
    private static let lineBreak = 2

    private let delimiter: [UInt8]
    private let limits: MultipartLimits
    private var state = State.preamble
    /// The bytes that were received but not yet returned, from ``position`` on. The first byte has the index 0.
    private var buffer: Data
    private var position = 0
    /// The index from which to continue the search for the end of the headers.
    private var scanned = 0
    private var isAtEnd = false
    private var failure: MultipartError?
    private var skipped = 0
    private var contentLength: Int64 = 0

    /// The number of parts that have begun.
    private(set) var parts = 0

    init(boundary: String, limits: MultipartLimits = MultipartLimits()) {
        delimiter = Array("\r\n--\(boundary)".utf8)
        self.limits = limits
        // The first line of the body may be a boundary line, so begin as if a line break preceded it.
        buffer = Data("\r\n".utf8)
        skipped = -2
    }

    /// Adds the next bytes. Call it only after ``next()`` has returned `nil` for the previous ones.
    mutating func feed(_ bytes: Data) {
        if position == buffer.count {
            buffer = bytes.startIndex == 0 ? bytes : Data(bytes)
        } else {
            if position > 0 { buffer = Data(buffer[position...]) }
            buffer.append(bytes)
        }
        scanned -= position
        position = 0
    }

    /// Marks the end of the bytes.
    mutating func finish() {
        isAtEnd = true
    }

    /// Returns the next event; `nil` if more bytes are needed. After an error, throws the same error again.
    mutating func next() throws(MultipartError) -> Event? {
        if let failure { throw failure }
        do throws(MultipartError) {
            return try step()
        } catch {
            failure = error
            throw error
        }
    }

    private mutating func step() throws(MultipartError) -> Event? {
        while true {
            switch state {
            case .preamble:
                let line = nextLine()
                try skip(to: line.contentEnd)
                guard try pass(line) else { return nil }
            case .headers:
                guard let fields = try headers() else { return nil }
                state = .start
                contentLength = 0
                return .part(fields)
            case .start:
                let line = nextLine()
                // A part without content may have no line break of its own before the boundary line.
                if line.contentEnd == position {
                    guard try pass(line) else { return nil }
                    return .partEnd
                }
                position += Self.lineBreak
                state = .content
            case .content:
                let line = nextLine()
                if let content = try content(to: line.contentEnd) { return .content(content) }
                guard try pass(line) else { return nil }
                return .partEnd
            case .epilogue:
                try skip(to: buffer.count)
                guard isAtEnd else { return nil }
                state = .over
            case .over:
                return .end
            }
        }
    }

    /// Skips bytes before the first part or after the last.
    private mutating func skip(to end: Int) throws(MultipartError) {
        skipped += end - position
        position = end
        if skipped > limits.surroundingBytes { throw .surroundingsTooLarge(limit: limits.surroundingBytes) }
    }

    private mutating func content(to end: Int) throws(MultipartError) -> Data? {
        guard end > position else { return nil }
        contentLength += Int64(end - position)
        if let limit = limits.partBytes, contentLength > limit { throw .partTooLarge(part: parts, limit: limit) }
        defer { position = end }
        return position == 0 && end == buffer.count ? buffer : buffer.subdata(in: position..<end)
    }

    /// Moves past a boundary line, and returns `false` if more bytes are needed to find it.
    private mutating func pass(_ line: Line) throws(MultipartError) -> Bool {
        switch line.kind {
        case .none:
            guard isAtEnd else { return false }
            throw parts == 0 ? .boundaryNotFound : .endedEarly(parts: parts)
        case .next:
            parts += 1
            state = .headers
        case .last:
            skipped = 0
            state = .epilogue
        }
        position = line.end
        scanned = position
        return true
    }

    // MARK: Boundary lines

    private struct Line {
        enum Kind {
            case none, next, last
        }

        var kind: Kind
        /// The end of the bytes that certainly do not belong to the boundary line.
        var contentEnd: Int
        /// The end of the boundary line: before its line break, which begins the headers, or after its hyphens.
        var end: Int
    }

    /// The maximum number of blanks after the boundary.
    private static let maximumBlanks = 64

    /// Returns the next boundary line. Its kind is `none` if it has not been received completely.
    private func nextLine() -> Line {
        buffer.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) in
            var start = position
            while start < bytes.count, let base = bytes.baseAddress,
                let found = memchr(base + start, Int32(UInt8(ascii: "\r")), bytes.count - start)
            {
                start = base.distance(to: UnsafeRawPointer(found))
                if let line = line(at: start, in: bytes) { return line }
                start += 1
            }
            return Line(kind: .none, contentEnd: bytes.count, end: bytes.count)
        }
    }

    /// Returns the boundary line that begins at an index, which may be incomplete; `nil` if another line begins there.
    private func line(at start: Int, in bytes: UnsafeRawBufferPointer) -> Line? {
        let unknown = Line(kind: .none, contentEnd: start, end: start)
        let count = min(delimiter.count, bytes.count - start)
        guard let base = bytes.baseAddress, memcmp(base + start, delimiter, count) == 0 else { return nil }
        var index = start + delimiter.count
        if index >= bytes.count { return unknown }
        if bytes[index] == UInt8(ascii: "-") {
            if index + 1 == bytes.count { return unknown }
            guard bytes[index + 1] == UInt8(ascii: "-") else { return nil }
            return Line(kind: .last, contentEnd: start, end: index + 2)
        }
        let lastBlank = index + Self.maximumBlanks
        while index < lastBlank, index < bytes.count,
            bytes[index] == UInt8(ascii: " ") || bytes[index] == UInt8(ascii: "\t")
        {
            index += 1
        }
        if index == bytes.count { return unknown }
        guard bytes[index] == UInt8(ascii: "\r") else { return nil }
        if index + 1 == bytes.count { return unknown }
        guard bytes[index + 1] == UInt8(ascii: "\n") else { return nil }
        return Line(kind: .next, contentEnd: start, end: index)
    }

    // MARK: Headers

    /// Returns the headers once they are complete. They begin with the line break of the boundary line.
    private mutating func headers() throws(MultipartError) -> HTTPFields? {
        if parts > limits.parts { throw .tooManyParts(limit: limits.parts) }
        let emptyLine = buffer.range(of: Data("\r\n\r\n".utf8), in: max(scanned, position)..<buffer.count)
        let length = (emptyLine?.upperBound ?? buffer.count) - position
        if length - 2 > limits.headerBytes { throw .headersTooLarge(part: parts, limit: limits.headerBytes) }
        guard let emptyLine else {
            if isAtEnd { throw .endedEarly(parts: parts) }
            scanned = max(position, buffer.count - 3)
            return nil
        }
        let block = Array(buffer[position..<emptyLine.lowerBound].dropFirst(Self.lineBreak))
        position = emptyLine.upperBound - Self.lineBreak
        return try MultipartHeaders.fields(block, part: parts)
    }
}

/// The headers of a part.
private enum MultipartHeaders {
    /// Parses the lines of a header block.
    static func fields(_ block: [UInt8], part: Int) throws(MultipartError) -> HTTPFields {
        var fields = HTTPFields()
        if block.isEmpty { return fields }
        var lines: [[UInt8]] = []
        for line in block.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            // Only the last line has no line break.
            let isComplete = line.endIndex == block.endIndex || line.last == UInt8(ascii: "\r")
            let line = line.endIndex == block.endIndex ? line : line.dropLast()
            guard isComplete, !line.contains(UInt8(ascii: "\r")), !line.contains(0) else {
                throw .invalidHeader(part: part, "contains a bare line break or a NUL")
            }
            // A line that begins with a blank continues the previous one (RFC 5322, section 2.2.3).
            if line.first == UInt8(ascii: " ") || line.first == UInt8(ascii: "\t"), !lines.isEmpty {
                lines[lines.count - 1] += line
            } else {
                lines.append(Array(line))
            }
        }
        for line in lines {
            let name = line.prefix { $0 != UInt8(ascii: ":") }
            guard name.endIndex < line.endIndex, let fieldName = HTTPField.Name(String(decoding: name, as: UTF8.self))
            else { throw .invalidHeader(part: part, "is not of the form Name: value") }
            fields.append(HTTPField(name: fieldName, lenientValue: line[name.endIndex...].dropFirst().trimmingBlanks()))
        }
        return fields
    }
}
