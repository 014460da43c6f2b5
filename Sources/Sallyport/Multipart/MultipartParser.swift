import Foundation
import HTTPTypes
import SallyportTransport

/// Takes a multipart body apart (RFC 2046, section 5.1). Pure: it is fed bytes, in pieces of any size, and asked what
/// they are.
///
/// It keeps no more than the piece that it was fed last and what may be the beginning of a line of the boundary. As the
/// boundary has no line breaks, each byte is looked at a bounded number of times, whatever the bytes are.
struct MultipartParser: Sendable {
    enum Event: Sendable, Equatable {
        /// A part begins with these headers.
        case part(HTTPFields)
        /// Some of its content, never empty.
        case content(Data)
        /// The part is over.
        case partEnd
        /// The body is over.
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
    /// What has been fed and not told, from ``position`` on. Its first byte has the index 0.
    private var buffer: Data
    private var position = 0
    /// Where to go on looking for the end of the headers.
    private var scanned = 0
    private var isAtEnd = false
    private var failure: MultipartError?
    private var skipped = 0
    private var contentLength: Int64 = 0

    /// How many parts have begun.
    private(set) var parts = 0

    init(boundary: String, limits: MultipartLimits = MultipartLimits()) {
        delimiter = Array("\r\n--\(boundary)".utf8)
        self.limits = limits
        // The first line of the body may be the boundary's: as if there were a line before it.
        buffer = Data("\r\n".utf8)
        skipped = -2
    }

    /// Takes the next bytes. Those before have to have been told, up to an answer of `nil`.
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

    /// Says that no more bytes come.
    mutating func finish() {
        isAtEnd = true
    }

    /// What comes next; `nil` if that takes more bytes. After an error, the same again.
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
                let end = find()
                try skip(to: end.contentEnd)
                guard try pass(end) else { return nil }
            case .headers:
                guard let fields = try headers() else { return nil }
                state = .start
                contentLength = 0
                return .part(fields)
            case .start:
                let end = find()
                // A part without content may have no line break of its own before the boundary's line.
                if end.contentEnd == position {
                    guard try pass(end) else { return nil }
                    return .partEnd
                }
                position += Self.lineBreak
                state = .content
            case .content:
                let end = find()
                if let content = try content(to: end.contentEnd) { return .content(content) }
                guard try pass(end) else { return nil }
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

    /// Leaves out what is no part.
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

    /// Goes past the boundary's line.
    ///
    /// - Returns: Whether it is there.
    private mutating func pass(_ end: Line) throws(MultipartError) -> Bool {
        switch end.kind {
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
        position = end.end
        scanned = position
        return true
    }

    // MARK: The boundary's line

    private struct Line {
        enum Kind {
            case none, next, last
        }

        var kind: Kind
        /// Up to where the bytes are certain not to belong to the line.
        var contentEnd: Int
        /// Where the line ends: before its line break, which begins the headers, or after its hyphens.
        var end: Int
    }

    /// Blanks that may follow the boundary; nobody sends any.
    private static let mostBlanks = 64

    /// Looks for the boundary's line.
    private func find() -> Line {
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

    /// The line at a place, where it may be only its beginning; `nil` if it is another line.
    private func line(at start: Int, in bytes: UnsafeRawBufferPointer) -> Line? {
        let unknown = Line(kind: .none, contentEnd: start, end: start)
        let count = min(delimiter.count, bytes.count - start)
        guard let base = bytes.baseAddress, memcmp(base + start, delimiter, count) == 0 else { return nil }
        var place = start + delimiter.count
        if place >= bytes.count { return unknown }
        if bytes[place] == UInt8(ascii: "-") {
            if place + 1 == bytes.count { return unknown }
            guard bytes[place + 1] == UInt8(ascii: "-") else { return nil }
            return Line(kind: .last, contentEnd: start, end: place + 2)
        }
        let mostBlanks = place + Self.mostBlanks
        while place < mostBlanks, place < bytes.count,
            bytes[place] == UInt8(ascii: " ") || bytes[place] == UInt8(ascii: "\t")
        {
            place += 1
        }
        if place == bytes.count { return unknown }
        guard bytes[place] == UInt8(ascii: "\r") else { return nil }
        if place + 1 == bytes.count { return unknown }
        guard bytes[place + 1] == UInt8(ascii: "\n") else { return nil }
        return Line(kind: .next, contentEnd: start, end: place)
    }

    // MARK: Headers

    /// The headers, once they are whole. They begin with the line break of the boundary's line.
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
