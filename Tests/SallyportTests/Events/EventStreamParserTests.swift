import Foundation
import TestSupport
import Testing

@testable import Sallyport

@Suite(.concurrencyLimited) struct EventStreamParserTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var stream: String
        var events: [ServerSentEvent]

        init(_ name: String, _ stream: String, _ events: ServerSentEvent...) {
            (self.name, self.stream, self.events) = (name, stream, events)
        }

        var testDescription: String { name }
    }

    /// The examples of the standard, with their literal content.
    static let examples = [
        Case(
            "one, two and three messages",
            """
            data: This is the first message.

            data: This is the second message, it
            data: has two lines.

            data: This is the third message.


            """,
            ServerSentEvent(data: "This is the first message."),
            ServerSentEvent(data: "This is the second message, it\nhas two lines."),
            ServerSentEvent(data: "This is the third message.")
        ),
        Case(
            "two types",
            "event: add\ndata: 73857293\n\nevent: remove\ndata: 2153\n\nevent: add\ndata: 113411\n\n",
            ServerSentEvent(type: "add", data: "73857293"),
            ServerSentEvent(type: "remove", data: "2153"),
            ServerSentEvent(type: "add", data: "113411")
        ),
        Case(
            "the stocks",
            "data: YHOO\ndata: +2\ndata: 10\n\n",
            ServerSentEvent(data: "YHOO\n+2\n10")
        ),
        Case(
            "four blocks, the last incomplete",
            ": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n",
            ServerSentEvent(id: "1", data: "first event"),
            ServerSentEvent(data: "second event")
        ),
        Case(
            "four blocks, the last complete",
            ": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n",
            ServerSentEvent(id: "1", data: "first event"),
            ServerSentEvent(data: "second event"),
            ServerSentEvent(data: " third event")
        ),
        Case(
            "empty data, and data of a single newline",
            "data\n\ndata\ndata\n\ndata:",
            ServerSentEvent(data: ""),
            ServerSentEvent(data: "\n")
        ),
        Case(
            "the space after the colon is ignored",
            "data:test\n\ndata: test\n\n",
            ServerSentEvent(data: "test"),
            ServerSentEvent(data: "test")
        ),
    ]

    static let rules = [
        Case("nothing", ""),
        Case("only line ends", "\n\r\n\r\r\n"),
        Case("CR", "data: a\rdata: b\r\rdata: c\r\r", ServerSentEvent(data: "a\nb"), ServerSentEvent(data: "c")),
        Case("CRLF", "data: a\r\n\r\ndata: b\r\n\r\n", ServerSentEvent(data: "a"), ServerSentEvent(data: "b")),
        Case(
            "all three mixed",
            "data: a\r\n\ndata: b\n\rdata: c\r\r\n",
            .init(data: "a"),
            .init(data: "b"),
            .init(data: "c")
        ),
        Case("CR CR LF LF is three line ends", "data: a\r\r\n\ndata: b\n\n", .init(data: "a"), .init(data: "b")),
        Case("a byte order mark first", "\u{FEFF}data: a\n\n", ServerSentEvent(data: "a")),
        Case(
            "a byte order mark later",
            "data: a\n\n\u{FEFF}data: b\n\ndata: \u{FEFF}c\n\n",
            .init(data: "a"),
            .init(data: "\u{FEFF}c")
        ),
        Case("only one byte order mark is removed", "\u{FEFF}\u{FEFF}data: a\n\n"),
        Case("a byte order mark before an empty line", "\u{FEFF}\ndata: a\n\n", ServerSentEvent(data: "a")),
        Case("a comment between", "data: a\n: b\n:\n:data: c\ndata: d\n\n", ServerSentEvent(data: "a\nd")),
        Case("two spaces", "data:  a\n\n", ServerSentEvent(data: " a")),
        Case("a tab is not a space", "data:\ta\n\n", ServerSentEvent(data: "\ta")),
        Case("a space before the name", " data: a\n\n"),
        Case("a space after the name", "data : a\n\n"),
        Case("names in another case", "DATA: a\nData: b\n\n"),
        Case("unknown fields", "foo: a\nbar\ndata: b\nfoo\n\n", ServerSentEvent(data: "b")),
        Case("colons in the value", "data:a:b: c\n\n", ServerSentEvent(data: "a:b: c")),
        Case("an id without data", "id: 7\n\ndata: a\n\n", ServerSentEvent(id: "7", data: "a")),
        Case("an id stays", "id: 7\ndata: a\n\ndata: b\n\n", .init(id: "7", data: "a"), .init(id: "7", data: "b")),
        Case(
            "an id with NUL",
            "id: 7\ndata: a\n\nid: 8\0\ndata: b\n\n",
            .init(id: "7", data: "a"),
            .init(id: "7", data: "b")
        ),
        Case("an id is cleared", "id: 7\ndata: a\n\nid:\ndata: b\n\n", .init(id: "7", data: "a"), .init(data: "b")),
        Case("the last id counts", "id: 1\nid: 2\ndata: a\n\n", ServerSentEvent(id: "2", data: "a")),
        Case("a type without data", "event: x\n\ndata: a\n\n", ServerSentEvent(data: "a")),
        Case("the last type counts", "event: x\nevent: y\ndata: a\n\n", ServerSentEvent(type: "y", data: "a")),
        Case("an empty type", "event: x\nevent\ndata: a\n\n", ServerSentEvent(data: "a")),
        Case("NUL in data", "data: a\0b\n\n", ServerSentEvent(data: "a\0b")),
        Case(
            "a retry",
            "retry: 250\ndata: a\n\ndata: b\n\n",
            .init(data: "a", retry: .milliseconds(250)),
            .init(data: "b")
        ),
        Case(
            "invalid retries",
            ["", " ", "1 ", "+1", "-1", "1.5", "1e3", "0x10", "\u{0661}", "a"].map { "retry:\($0)\ndata: a\n\n" }
                .joined(),
            .init(data: "a"),
            .init(data: "a"),
            .init(data: "a"),
            .init(data: "a"),
            .init(data: "a"),
            .init(data: "a"),
            .init(data: "a"),
            .init(data: "a"),
            .init(data: "a"),
            .init(data: "a")
        ),
        Case(
            "a retry that is too large",
            "retry: 99999999999999999999999\ndata: a\n\n",
            .init(data: "a", retry: .milliseconds(Int32.max))
        ),
        Case(
            "characters of several bytes",
            "event: é\nid: 木\ndata: 🗝️\n\n",
            ServerSentEvent(id: "木", type: "é", data: "🗝️")
        ),
        Case("the end in an event", "data: a\n\ndata: b\n", ServerSentEvent(data: "a")),
        Case("the end in a line", "data: a\n\ndata: b\n\rdata: c", .init(data: "a"), .init(data: "b")),
    ]

    @Test(arguments: examples + rules)
    func `Events match the standard, for complete input and for single bytes`(_ example: Case) throws {
        let bytes = Array(example.stream.utf8)
        #expect(try events(of: [bytes]) == example.events)
        #expect(try events(of: bytes.map { [$0] }) == example.events)
    }

    /// The replacement characters follow the UTF-8 decoder of the Encoding Standard.
    @Test(arguments: [
        ([0xFF], "\u{FFFD}"), ([0xC3], "\u{FFFD}"), ([0xE2, 0x82], "\u{FFFD}"), ([0xF0, 0x9F, 0x97], "\u{FFFD}"),
        ([0xC0, 0x80], "\u{FFFD}\u{FFFD}"), ([0xED, 0xA0, 0x80], "\u{FFFD}\u{FFFD}\u{FFFD}"),
        ([0xF0, 0x80, 0x80, 0x41], "\u{FFFD}\u{FFFD}\u{FFFD}A"), ([0xE2, 0x41], "\u{FFFD}A"),
        ([0xF4, 0x90, 0x80, 0x80], "\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}"), ([0xE2, 0x82, 0xAC], "€"),
    ])
    func `Invalid UTF-8 is replaced as in the Encoding Standard`(_ bytes: [UInt8], _ text: String) throws {
        let stream = Array("data: ".utf8) + bytes + Array("\nid: ".utf8) + bytes + Array("\n\n".utf8)
        #expect(try events(of: [stream]) == [ServerSentEvent(id: text, data: text)])
        #expect(try events(of: stream.map { [$0] }) == [ServerSentEvent(id: text, data: text)])
    }

    @Test(arguments: 0..<300)
    func `The events do not depend on how the bytes are split`(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        let stream = randomStream(using: &generator)
        let whole = try events(of: [stream])
        #expect(try events(of: stream.map { [$0] }) == whole)
        var pieces: [[UInt8]] = []
        var rest = stream[...]
        while !rest.isEmpty {
            let count = Int.random(in: 1...9, using: &generator)
            pieces.append(Array(rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
        #expect(try events(of: pieces) == whole)
        #expect(whole == modelEvents(of: stream))
    }

    @Test func `The last event id changes when its event is complete`() throws {
        var parser = EventStreamParser(lastEventId: "5")
        parser.append(Data("id: 6\ndata: a\n".utf8))
        #expect(try next(&parser) == nil)
        #expect(parser.lastEventId == "5")
        parser.append(Data("\n".utf8))
        #expect(try next(&parser)?.id == "6")
        #expect(parser.lastEventId == "6")
    }

    @Test func `The reconnection time takes effect immediately`() throws {
        var parser = EventStreamParser()
        parser.append(Data("retry: 10\n".utf8))
        #expect(try next(&parser) == nil)
        #expect(parser.reconnectionTime == .milliseconds(10))
    }

    @Test func `Events are parsed one at a time, also while bytes are appended`() throws {
        var parser = EventStreamParser()
        parser.append(Data("data: a\n\ndata: b\n\nda".utf8))
        #expect(try next(&parser)?.data == "a")
        parser.append(Data("ta: c\n\n".utf8))
        #expect(try next(&parser)?.data == "b")
        #expect(try next(&parser)?.data == "c")
        #expect(try next(&parser) == nil)
    }

    @Test(arguments: [1, 1000])
    func `A line of the maximum length is accepted, a longer one is refused`(pieceSize: Int) throws {
        let line = "data: 1234\n\n"
        #expect(try events(of: cut(line, pieceSize), maximumLineSize: 10).count == 1)
        for longer in ["data: 12345\n\n", "data: 12345", ": 345678901", "data: 1234\n\n:2345678901"] {
            #expect(throws: EventStreamParser.Overflow.line(limit: 10)) {
                try events(of: cut(longer, pieceSize), maximumLineSize: 10)
            }
        }
    }

    @Test(arguments: [1, 1000])
    func `An event of the maximum size is accepted, a larger one is refused`(pieceSize: Int) throws {
        let event = "data: 12\ndata: 45\n\n"
        #expect(try events(of: cut(event + event, pieceSize), maximumEventSize: 5).map(\.data) == ["12\n45", "12\n45"])
        #expect(throws: EventStreamParser.Overflow.event(limit: 4)) {
            try events(of: cut(event, pieceSize), maximumEventSize: 4)
        }
        #expect(throws: EventStreamParser.Overflow.event(limit: 9)) {
            try events(of: cut(String(repeating: "data\n", count: 11), pieceSize), maximumEventSize: 9)
        }
    }

    private func next(_ parser: inout EventStreamParser) throws -> ServerSentEvent? { try parser.next() }

    private func cut(_ text: String, _ size: Int) -> [[UInt8]] {
        let bytes = Array(text.utf8)
        return stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0..<min($0 + size, bytes.count)]) }
    }

    private func events(
        of pieces: [[UInt8]],
        maximumLineSize: Int = 1000,
        maximumEventSize: Int = 1000
    ) throws -> [ServerSentEvent] {
        var parser = EventStreamParser(maximumLineSize: maximumLineSize, maximumEventSize: maximumEventSize)
        var events: [ServerSentEvent] = []
        for piece in pieces {
            parser.append(Data(piece))
            while let event = try parser.next() { events.append(event) }
        }
        return events
    }
}

/// Generates bytes that usually resemble an event stream.
private func randomStream(using generator: inout SeededGenerator) -> [UInt8] {
    let words = [
        "data", "data", "data:", "data: ", "event: ", "event", "id: ", "id", "retry: ", "retry:", ":", ": ", " ", "x",
        "12",
        "é", "\0", "\u{FEFF}", "\n", "\n", "\n\n", "\r", "\r\n", "\r\n\r\n", "\n\r", "\r\r",
    ]
    var stream: [UInt8] = []
    for _ in 0..<Int.random(in: 0...60, using: &generator) {
        if Int.random(in: 0..<12, using: &generator) == 0 {
            stream.append(UInt8.random(in: 0...255, using: &generator))
        } else {
            stream += Array((words.randomElement(using: &generator) ?? "").utf8)
        }
    }
    return stream
}

/// A simple reference implementation of the rules, which processes the complete text line by line.
private func modelEvents(of bytes: [UInt8]) -> [ServerSentEvent] {
    var text = String(decoding: bytes, as: UTF8.self).unicodeScalars
    if text.first == "\u{FEFF}" { text.removeFirst() }
    var lines: [String.UnicodeScalarView] = []
    var line = String.UnicodeScalarView()
    var index = text.startIndex
    while index < text.endIndex {
        let scalar = text[index]
        index = text.index(after: index)
        if scalar == "\r", index < text.endIndex, text[index] == "\n" { index = text.index(after: index) }
        if scalar == "\r" || scalar == "\n" {
            lines.append(line)
            line = String.UnicodeScalarView()
        } else {
            line.append(scalar)
        }
    }
    var events: [ServerSentEvent] = []
    var (id, event) = ("", ServerSentEvent(type: "", data: ""))
    for line in lines {
        let name = String(Substring(line.prefix { $0 != ":" }))
        var value = line.dropFirst(name.unicodeScalars.count + 1)
        if value.first == " " { value.removeFirst() }
        let text = String(Substring(value))
        switch name {
        case "" where line.isEmpty:
            event.id = id.isEmpty ? nil : id
            if event.type.isEmpty { event.type = "message" }
            if !event.data.isEmpty {
                event.data.unicodeScalars.removeLast()
                events.append(event)
            }
            event = ServerSentEvent(type: "", data: "")
        case "data": event.data += text + "\n"
        case "event": event.type = text
        case "id": if !value.contains("\0") { id = text }
        case "retry":
            if !text.isEmpty, value.allSatisfy({ ("0"..."9").contains($0) }) {
                event.retry = .milliseconds(Int32(text) ?? .max)
            }
        default: break
        }
    }
    return events
}
