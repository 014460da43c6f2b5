import Foundation

/// Makes events of bytes, by the rules of WHATWG HTML, section 9.2.6. However the bytes are cut, the events are the same.
///
/// Bytes are appended, and then events taken until there is none.
struct EventStreamParser: Sendable {
    /// What is longer than it may be.
    enum Overflow: Error, Sendable, Hashable {
        case line(limit: Int)
        case event(limit: Int)
    }

    private static let carriageReturn = UInt8(ascii: "\r")
    private static let lineFeed = UInt8(ascii: "\n")

    /// The id of the last event that was complete; empty for none.
    private(set) var lastEventId: String
    /// The last of these ids that a field can hold, which is what the server is told; empty for none.
    private(set) var sendableId: String
    /// How long to wait before connecting again, if the stream has said so.
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

    /// - Parameters:
    ///   - lastEventId: The id of the last event of the connection before.
    ///   - maximumLineSize: The longest line, in bytes.
    ///   - maximumEventSize: The most data of an event, in bytes.
    init(lastEventId: String = "", maximumLineSize: Int = 1 << 20, maximumEventSize: Int = 4 << 20) {
        self.lastEventId = lastEventId
        sendableId = lastEventId
        self.maximumLineSize = maximumLineSize
        self.maximumEventSize = maximumEventSize
        id = lastEventId
    }

    /// Begins with the stream of another connection. The ids stay.
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

    /// The next event; `nil` if it takes more bytes. What is not complete at the end of the bytes is no event.
    mutating func next() throws(Overflow) -> ServerSentEvent? {
        while try readLine() {
            defer { line.removeAll(keepingCapacity: line.capacity <= 1 << 16) }
            if let event = try process() { return event }
        }
        return nil
    }

    /// Moves bytes to the line. A line ends with CR, LF or both.
    ///
    /// - Returns: Whether the line is whole.
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

    /// - Returns: The event that the line completes, if it does.
    private mutating func process() throws(Overflow) -> ServerSentEvent? {
        if isFirstLine {
            isFirstLine = false
            if line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
        }
        if line.isEmpty { return dispatch() }
        let name = line.prefix { $0 != UInt8(ascii: ":") }
        // A comment has no name.
        if name.isEmpty { return nil }
        var value = line[name.endIndex...].dropFirst()
        if value.first == UInt8(ascii: " ") { value.removeFirst() }
        try take(value, for: String(decoding: name, as: UTF8.self))
        return nil
    }

    private mutating func take(_ value: ArraySlice<UInt8>, for name: String) throws(Overflow) {
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
            // A number too large for this is longer than any wait.
            let milliseconds = Int32(String(decoding: value, as: UTF8.self)) ?? .max
            retry = .milliseconds(milliseconds)
            reconnectionTime = retry
        default:
            return
        }
    }

    /// - Returns: `nil` if there was no data.
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

    /// No server takes a field that is longer.
    private static let longestSendableId = 4096

    /// Whether a field can hold an id: it has no control characters (RFC 9110, section 5.5), and is short.
    private static func isSendable(_ id: String) -> Bool {
        id.utf8.count <= longestSendableId
            && id.utf8.allSatisfy { ($0 >= 0x20 && $0 != 0x7F) || $0 == UInt8(ascii: "\t") }
    }
}
