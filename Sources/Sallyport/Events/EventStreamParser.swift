import Foundation

/// A parser for streams of server-sent events (WHATWG HTML, section 9.2.6), which receives bytes in pieces of any size.
///
/// After appending bytes, call ``next()`` until it returns `nil`.
struct EventStreamParser: Sendable {
    /// An error for a line or an event that exceeds its limit.
    enum Overflow: Error, Sendable, Hashable {
        case line(limit: Int)
        case event(limit: Int)
    }

    private static let carriageReturn = UInt8(ascii: "\r")
    private static let lineFeed = UInt8(ascii: "\n")

    /// The id of the last complete event; empty if it has none.
    private(set) var lastEventId: String
    /// The id of the last complete event whose id is valid in a header; empty if there is none. It is sent to the server.
    private(set) var sendableId: String
    /// The reconnection time that the stream has set, if any.
    private(set) var reconnectionTime: Duration?

    private let maximumLineSize: Int
    private let maximumEventSize: Int
    private var unread = Data()
    private var line: [UInt8] = []
    private var isFirstLine = true
    private var isAfterCarriageReturn = false
    private var data: [UInt8] = []
    private var type = ""
    private var id: String
    private var retry: Duration?

    /// Creates a parser.
    ///
    /// - Parameters:
    ///   - lastEventId: The id of the last event of the previous connection.
    ///   - maximumLineSize: The maximum length of a line in bytes.
    ///   - maximumEventSize: The maximum size of the data of an event in bytes.
    init(lastEventId: String = "", maximumLineSize: Int = 1 << 20, maximumEventSize: Int = 4 << 20) {
        self.lastEventId = lastEventId
        sendableId = lastEventId
        self.maximumLineSize = maximumLineSize
        self.maximumEventSize = maximumEventSize
        id = lastEventId
    }

    /// Resets the parser for another connection. The ids are preserved.
    mutating func restart() {
        var next = EventStreamParser(
            lastEventId: lastEventId,
            maximumLineSize: maximumLineSize,
            maximumEventSize: maximumEventSize
        )
        next.sendableId = sendableId
        self = next
    }

    mutating func append(_ bytes: Data) {
        if unread.isEmpty { unread = bytes } else { unread.append(bytes) }
    }

    /// Returns the next event; `nil` if more bytes are needed. An incomplete event at the end of the stream is discarded.
    mutating func next() throws(Overflow) -> ServerSentEvent? {
        while try readLine() {
            defer { line.removeAll(keepingCapacity: line.capacity <= 1 << 16) }
            if let event = try process() { return event }
        }
        return nil
    }

    /// Moves bytes to the line, and returns `true` once the line is complete. A line ends with CR, LF or both.
    private mutating func readLine() throws(Overflow) -> Bool {
        if isAfterCarriageReturn, let first = unread.first {
            isAfterCarriageReturn = false
            if first == Self.lineFeed { unread.removeFirst() }
        }
        let end = unread.firstIndex { $0 == Self.lineFeed || $0 == Self.carriageReturn }
        let part = unread[..<(end ?? unread.endIndex)]
        if part.count > maximumLineSize - line.count { throw .line(limit: maximumLineSize) }
        line.append(contentsOf: part)
        guard let end else {
            unread = Data()
            return false
        }
        isAfterCarriageReturn = unread[end] == Self.carriageReturn
        unread = unread[(end + 1)...]
        return true
    }

    /// Processes the line, and returns the event that it completes, if any.
    private mutating func process() throws(Overflow) -> ServerSentEvent? {
        if isFirstLine {
            isFirstLine = false
            if line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
        }
        if line.isEmpty { return dispatch() }
        let name = line.prefix { $0 != UInt8(ascii: ":") }
        // A line without a name is a comment.
        if name.isEmpty { return nil }
        var value = line[name.endIndex...].dropFirst()
        if value.first == UInt8(ascii: " ") { value.removeFirst() }
        try setField(String(decoding: name, as: UTF8.self), to: value)
        return nil
    }

    /// Sets a field of the event. Other fields than the four of the standard are ignored.
    private mutating func setField(_ name: String, to value: ArraySlice<UInt8>) throws(Overflow) {
        switch name {
        case "data":
            if value.count > maximumEventSize - data.count { throw .event(limit: maximumEventSize) }
            data.append(contentsOf: value)
            data.append(Self.lineFeed)
        case "event":
            type = String(decoding: value, as: UTF8.self)
        case "id":
            if !value.contains(0) { id = String(decoding: value, as: UTF8.self) }
        case "retry":
            guard !value.isEmpty, value.allSatisfy(\.isDigit) else { return }
            // A number that does not fit exceeds every limit for the wait.
            let milliseconds = Int32(String(decoding: value, as: UTF8.self)) ?? .max
            retry = .milliseconds(milliseconds)
            reconnectionTime = retry
        default:
            return
        }
    }

    /// Ends the event, and returns it; `nil` if it has no data.
    private mutating func dispatch() -> ServerSentEvent? {
        lastEventId = id
        if Self.isSendable(id) { sendableId = id }
        defer {
            data = []
            type = ""
            retry = nil
        }
        if data.isEmpty { return nil }
        return ServerSentEvent(
            id: id.isEmpty ? nil : id,
            type: type.isEmpty ? "message" : type,
            data: String(decoding: data.dropLast(), as: UTF8.self),
            retry: retry
        )
    }

    /// The maximum length of an id in a header, in bytes. Servers reject longer fields.
    private static let maximumSendableId = 4096

    /// Returns a Boolean value that indicates whether an id is valid in a header: short, and without control characters (RFC 9110,
    /// section 5.5).
    private static func isSendable(_ id: String) -> Bool {
        id.utf8.count <= maximumSendableId
            && id.utf8.allSatisfy { ($0 >= 0x20 && $0 != 0x7F) || $0 == UInt8(ascii: "\t") }
    }
}
