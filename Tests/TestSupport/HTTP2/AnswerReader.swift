import NIOCore

/// Parses an HTTP/1.1 response with no more validation than is needed to find its end.
struct AnswerReader {
    enum Part {
        case head(status: String, fields: [(name: String, value: String)], isAll: Bool)
        case body(ByteBuffer)
        case end(trailers: [(name: String, value: String)])
        case nonsense

        static func end(_ trailers: [(name: String, value: String)]) -> Part { .end(trailers: trailers) }
    }

    private enum State {
        case head, length(Int), untilClose, chunkSize, chunk(Int), chunkEnd, trailers, done
    }

    /// A Boolean value that indicates whether the request was a HEAD, whose response has no body.
    var isToHead = false

    private var state = State.head
    private var bytes = ByteBuffer()
    private var keepsAlive = true

    /// A Boolean value that indicates whether the head of the final response has been received.
    private(set) var hasHead = false

    var lastsUntilClose: Bool {
        if case .untilClose = state { true } else { false }
    }

    /// A Boolean value that indicates whether the response is complete.
    var isWhole: Bool {
        if case .done = state { true } else { false }
    }

    /// A Boolean value that indicates whether another exchange may follow on the same connection.
    var leavesConnectionInOrder: Bool {
        isWhole && keepsAlive && bytes.readableBytes == 0
    }

    /// Adds bytes, and returns the complete parts.
    mutating func read(_ more: ByteBuffer) -> [Part] {
        bytes.discardReadBytes()
        bytes.writeImmutableBuffer(more)
        var parts: [Part] = []
        while let part = next() { parts.append(contentsOf: part) }
        return parts
    }

    /// Returns the next part, or `nil` if more bytes are needed.
    private mutating func next() -> [Part]? {
        switch state {
        case .head: return head()
        case .length(let left):
            guard let body = take(upTo: left) else { return nil }
            let rest = left - body.readableBytes
            state = rest == 0 ? .done : .length(rest)
            return rest == 0 ? [.body(body), .end([])] : [.body(body)]
        case .untilClose: return take(upTo: .max).map { [.body($0)] }
        case .chunkSize:
            guard let line = line() else { return nil }
            guard let size = Int(line.prefix { $0.isHexDigit }, radix: 16) else { return nonsense() }
            state = size == 0 ? .trailers : .chunk(size)
            return []
        case .chunk(let left):
            guard let body = take(upTo: left) else { return nil }
            let rest = left - body.readableBytes
            state = rest == 0 ? .chunkEnd : .chunk(rest)
            return [.body(body)]
        case .chunkEnd:
            guard let line = line() else { return nil }
            state = .chunkSize
            return line.isEmpty ? [] : nonsense()
        case .trailers:
            guard let lines = block() else { return nil }
            state = .done
            return [.end(lines.map(Self.field))]
        case .done: return nil
        }
    }

    private mutating func head() -> [Part]? {
        guard let lines = block() else { return nil }
        guard let words = lines.first?.split(separator: " ", maxSplits: 2), words.first?.hasPrefix("HTTP/1.") == true,
            words.count > 1
        else { return nonsense() }
        let status = String(words[1])
        let fields = lines.dropFirst().map(Self.field)
        if status.count == 3, status.hasPrefix("1") {
            return [.head(status: status, fields: Self.relayed(fields), isAll: false)]
        }
        hasHead = true
        keepsAlive = words[0] != "HTTP/1.0" && !fields.contains { $0.name == "connection" && $0.value == "close" }
        let length = fields.first { $0.name == "content-length" }?.value
        if isToHead || ["204", "304"].contains(status) || length == "0" {
            state = .done
        } else if fields.contains(where: { $0.name == "transfer-encoding" }) {
            state = .chunkSize
        } else if let length = length.flatMap(Int.init), length > 0 {
            state = .length(length)
        } else {
            state = .untilClose
        }
        var isAll = false
        if case .done = state { isAll = true }
        return [.head(status: status, fields: Self.relayed(fields), isAll: isAll)]
    }

    private mutating func nonsense() -> [Part] {
        hasHead = true
        keepsAlive = false
        state = .done
        return [.nonsense]
    }

    private mutating func take(upTo count: Int) -> ByteBuffer? {
        bytes.readableBytes == 0 ? nil : bytes.readSlice(length: min(count, bytes.readableBytes))
    }

    private mutating func line() -> String? {
        guard let end = bytes.readableBytesView.firstIndex(of: 0x0A) else { return nil }
        let line = bytes.readString(length: end - bytes.readerIndex + 1)?.dropLast() ?? ""
        return String(line.last == "\r" ? line.dropLast() : line)
    }

    /// Returns the lines up to an empty line, or `nil` if it has not been received.
    private mutating func block() -> [String]? {
        let unread = bytes
        var lines: [String] = []
        while let line = line() {
            if line.isEmpty { return lines }
            lines.append(line)
        }
        bytes = unread
        return nil
    }

    private static func field(_ line: String) -> (name: String, value: String) {
        let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let value = parts.dropFirst().joined().drop { $0 == " " || $0 == "\t" }
        return (parts[0].lowercased(), String(value.reversed().drop { $0 == " " || $0 == "\t" }.reversed()))
    }

    /// Returns the fields except those that concern the connection (RFC 9113, section 8.2.2).
    private static func relayed(_ fields: [(name: String, value: String)]) -> [(name: String, value: String)] {
        fields.filter { !["connection", "keep-alive", "transfer-encoding", "upgrade"].contains($0.name) }
    }
}
