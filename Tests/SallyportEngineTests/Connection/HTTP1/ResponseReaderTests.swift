import Foundation
import HTTPTypes
import NIOCore
import SallyportTransport
import TestSupport
import Testing

@testable import SallyportEngine

@Suite(.concurrencyLimited) struct ResponseReaderTests {
    /// Returns a description of the parts of a text, and whether another response could follow.
    private func read(
        _ text: String,
        to method: HTTPRequest.Method = .get,
        by size: Int = .max,
        limits: ResponseLimits = ResponseLimits()
    ) throws -> (text: String, canReadAnother: Bool) {
        var reader = ResponseReader(limits: limits)
        return try read(text, to: method, by: size, with: &reader)
    }

    private func read(
        _ text: String,
        to method: HTTPRequest.Method = .get,
        by size: Int,
        with reader: inout ResponseReader
    ) throws -> (text: String, canReadAnother: Bool) {
        reader.expectResponse(to: method)
        var rest = Array(text.utf8)[...]
        var shown = ""
        while !rest.isEmpty {
            reader.receive(ByteBuffer(bytes: rest.prefix(size)))
            rest = rest.dropFirst(size)
            while let part = try reader.next() { shown += part.shown }
        }
        return (shown, reader.canReadAnother)
    }

    private func problem(_ text: String, limits: ResponseLimits = ResponseLimits()) -> NetworkError? {
        do {
            let shown = try read(text, limits: limits)
            Issue.record("\(text.debugDescription) was read as \(shown)")
            return nil
        } catch {
            return error as? NetworkError
        }
    }

    @Test(arguments: ["zz", "2\r\nokk", String(repeating: "0", count: 5000)])
    func `An invalid chunk is an error of the body`(chunk: String) {
        let error = problem("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n\(chunk)\r\n")
        #expect(error?.kind == "invalidResponse")
        #expect(error?.failure.phase == .body)
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-A: \t b \r\n\r\nhello",
        "HTTP/1.1 204\r\nX-A:\r\n\r\n",
        "HTTP/1.1 103 Early\r\nLink: a\r\n\r\nHTTP/1.1 200 \r\nTransfer-Encoding: Chunked\r\n\r\n"
            + "5;x=\"y\"\r\nhello\r\n00a \r\n0123456789\r\n0\r\nX-T: 1\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\nContent-Length: 5\nX-A: \t b \n\nhello",
        "HTTP/1.1 204\nX-A:\r\n\n", "HTTP/1.1 204\r\nX-A:\n\r\n",
        "HTTP/1.1 103 Early\nLink: a\n\nHTTP/1.1 200 \nTransfer-Encoding: chunked\n\n5\r\nhello\r\n0\r\nX-T: 1\r\n\r\n",
        "\r\n\nHTTP/1.1 200 OK\r\nX-A: 1\r\n 2\n\t 3\r\nContent-Length: 5\r\n\r\nhello",
    ]
    )
    func `The result does not depend on how the bytes are split`(text: String) throws {
        let whole = try read(text)
        #expect(whole.canReadAnother)
        for size in 1..<text.utf8.count { #expect(try joined(read(text, by: size).text) == joined(whole.text)) }
    }

    @Test func `A head with LF line endings is parsed like one with CRLF`() throws {
        let head = "HTTP/1.1 103 Early\r\nLink: a\r\n\r\nHTTP/1.1 200 OK\r\nX-A: 1\r\nContent-Length: 5\r\n\r\n"
        let expected = try read(head + "hello")
        let lines = head.components(separatedBy: "\r\n").dropLast()
        // Each combination of line endings.
        for combination in 0..<(1 << lines.count) {
            let text = lines.enumerated()
                .map { $1 + (combination >> $0 & 1 == 0 ? "\n" : "\r\n") }
                .joined()
            let read = try read(text + "hello")
            #expect(read.text == expected.text && read.canReadAnother)
        }
    }

    @Test(arguments: [
        ("X-A: 1\r\n 2", "1 2"), ("X-A: 1\r\n\t 2 \t\r\n  3", "1 2 3"), ("X-A:\r\n 1", "1"), ("X-A: 1\r\n  ", "1"),
        ("X-A: 1\n b: 2", "1 b: 2"),
    ])
    func `The lines of a folded field are one value`(lines: String, value: String) throws {
        let alone = try read("HTTP/1.1 204\r\n\(lines)\r\n\r\n")
        #expect(alone.text == "204 0 X-A: \(value)\n." && alone.canReadAnother)
        let between = try read("HTTP/1.1 204\r\nX-B: 2\r\n\(lines)\r\nX-B: 3\r\n\r\n")
        #expect(between.text == "204 0 X-B: 2,X-A: \(value),X-B: 3\n." && between.canReadAnother)
    }

    @Test func `Empty lines before a head are ignored`() throws {
        for lines in ["\n", "\r\n", "\r\n\n\r\n", String(repeating: "\r\n", count: 8)] {
            let read = try read(
                "\(lines)HTTP/1.1 103 Early\r\n\r\n\(lines)HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
            )
            #expect(read.text == "103 \n200 2 Content-Length: 2\nok|.")
            #expect(read.canReadAnother)
        }
    }

    @Test(
        arguments: [
            ([0x6E, 0x61, 0xEF, 0x76, 0x65], "naïve"), ([0xFC], "ü"), ([0xC3, 0xBC], "ü"), ([0xC3], "Ã"),
            ([0xEF, 0xBF, 0xBD], "\u{FFFD}"), ([0xF0, 0x9F, 0x98], "ð\u{9F}\u{98}"), ([0xF0, 0x9F, 0x98, 0x80], "😀"),
            ([0x80], "\u{80}"),
        ] as [([UInt8], String)]
    )
    func `A value that is not UTF-8 is ISO-8859-1, and so is a reason phrase`(bytes: [UInt8], text: String) throws {
        var reader = ResponseReader(limits: ResponseLimits())
        reader.expectResponse(to: .get)
        let (start, name, end) = (Array("HTTP/1.1 204 ".utf8), Array("\r\nX-A: ".utf8), Array("\r\n\r\n".utf8))
        reader.receive(ByteBuffer(bytes: start + bytes + name + bytes + end))
        guard case .head(let response, _, _)? = try reader.next() else {
            Issue.record("there is no head")
            return
        }
        #expect(response.headerFields.map(\.value) == [text])
        #expect(response.status.reasonPhrase == text)
    }

    @Test(arguments: ["6, 6", "6,6", " 6 ,\t6, 6", "06, 6"])
    func `Equal values in a Content-Length list count as one`(list: String) throws {
        let read = try read("HTTP/1.1 200 OK\r\nContent-Length: \(list)\r\n\r\nbanana")
        #expect(read.text.hasPrefix("200 6 ") && read.text.hasSuffix("banana|."))
        #expect(read.canReadAnother)
    }

    /// Returns the description without the boundaries between chunks.
    private func joined(_ shown: String) -> String { shown.replacing("|", with: "") }

    @Test(arguments: [
        "HTTP/1.1 200 OK\rContent-Length: 0\n\n", "HTTP/1.1 200 OK\r\r\n\r\n", "HTTP/1.1 200 OK\n\r\r\n",
        "HTTP/1.1 200 OK\nX-A: 1\rX-B: 2\n\n",
        "HTTP/1.1 200 OK\r\n X-A: 1\r\n\r\n", "HTTP/1.1 200 OK\r\n\tfolded\r\nX-A: 1\r\n\r\n",
        " HTTP/1.1 200 OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\nX-A: 1\r\n a\rb\r\n\r\n", "HTTP/1.1 200 OK\r\nX-A: 1\r\n a\u{0}b\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length:\r\n 5\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n 5\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding:\r\n chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
        String(repeating: "\r\n", count: 9) + "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nX-A : 1\r\n\r\n",
        "HTTP/1.1 200 OK\r\n: 1\r\n\r\n",
        "HTTP/1.1 200 OK\r\nX-A: a\rb\r\n\r\n",
        "HTTP/1.1 200 O\u{0}K\r\n\r\n",
        "HTTP/1.2 200 OK\r\n\r\n", "HTTP/2 200 OK\r\nX-A: b\r\n\r\n", "HTTP/1.1  200 OK\r\n\r\n",
        "http/1.1 200 OK\r\n\r\n",
        "HTTP/1.1 20 OK\r\n\r\n", "HTTP/1.1 2000 OK\r\n\r\n", "HTTP/1.1 099 OK\r\n\r\n", "HTTP/1.1 +20 OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: +5\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nContent-Length: 5, 6\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nContent-Length: 5,\r\n\r\nhello", "HTTP/1.1 200 OK\r\nContent-Length: ,\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nContent-Length: 5 5\r\n\r\nhello", "HTTP/1.1 200 OK\r\nContent-Length:\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nContent-Length: 5, 5\r\nContent-Length: 6\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nContent-Length: 5, +5\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nContent-Length: 5, 5\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nContent-Length: 0x5\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n+5\r\nhello\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-5\r\nhello\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0x5\r\nhello\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5 5\r\nhello\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\r\nhello\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;a\rb\r\nhello\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\nhello\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n5\nhello\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nX-T: 1\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabcd",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;" + String(repeating: "x", count: 5000),
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhelloX\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n8000000000000000\r\nhello\r\n",
    ]
    )
    func `Malformed and ambiguous responses are refused`(text: String) {
        guard case .invalidResponse = problem(text) else { return #expect(Bool(false), "\(text.debugDescription)") }
    }

    @Test
    func `Heads and trailers above the limit are refused, complete or not`() {
        let limits = ResponseLimits(headBytes: 100, headFields: 3)
        let long = String(repeating: "x", count: 101)
        let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        for text in [
            "HTTP/1.1 200 \(long)", "HTTP/1.1 200 \(long)\r\n\r\n", "HTTP/1.1 200 OK\r\nX: \(long)",
            "HTTP/1.1 200 OK\r\nX: \(long)\r\n\r\n", "HTTP/1.1 200 \(long)\n\n", "HTTP/1.1 200 OK\nX: \(long)\n\n",
            "HTTP/1.1 200 OK\nX: \(long.prefix(60))\nX: \(long.prefix(60))\n\n",
            "HTTP/1.1 200 OK\nA: 1\nB: 1\nC: 1\nD: 1\n\n", "HTTP/1.1 200 OK\nA: 1\n 1\n 1\n 1\n\n",
            "HTTP/1.1 200 OK\r\nX: \(long.prefix(60))\r\n \(long.prefix(60))\r\n\r\n",
            "HTTP/1.1 200 OK\r\nX: \(long.prefix(60))\r\nX: \(long.prefix(60))\r\n\r\n",
            "HTTP/1.1 200 OK\r\nA: 1\r\nB: 1\r\nC: 1\r\nD: 1\r\n\r\n",
            chunked + "0\r\nX: \(long)",
        ] {
            guard case .responseTooLarge = problem(text, limits: limits) else {
                return #expect(Bool(false), "\(text.debugDescription)")
            }
        }
    }

    @Test(arguments: [
        ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", true),
        ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok\r\n", false),
        ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", false),
        ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: Close\r\n\r\nok", false),
        ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: x, close\r\n\r\nok", false),
        ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: x\r\nConnection: CLOSE\r\n\r\nok", false),
        ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: closed\r\n\r\nok", true),
        ("HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok", false),
        ("HTTP/1.0 200 OK\r\nContent-Length: 2\r\nConnection: keep-alive\r\n\r\nok", true),
        (
            "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: keep-alive\r\n\r\n2\r\nok\r\n0\r\n\r\n",
            false
        ),
    ]
    )
    func `The connection can be reused unless it is to be closed or unexpected bytes follow`(
        text: String,
        canReadAnother: Bool
    ) throws {
        let read = try read(text)
        #expect(read.text.hasSuffix("ok|.") && read.canReadAnother == canReadAnother, "\(text.debugDescription)")
    }

    @Test(arguments: [1, 2, 1000])
    func `Parsing a head does not depend on the previous head`(size: Int) throws {
        let heads = [
            "Server: a\r\nDate: 1\r\nX-A: 1\r\n", "Server: a\r\nDate: 2\r\nX-A: 1\r\n",
            "Server: a\r\nX-A: 1\r\nDate: 2\r\n",
            "Server: a\r\n", "", "Server: a\r\n b\r\nDate: 2\r\n", "Server: a\r\nDate: 2\r\n\tb\r\n",
            "Server: \(String(repeating: "b", count: 600))\r\nDate: 2\r\n",
            "Server: \(String(repeating: "b", count: 600))\r\nDate: 2\r\nSERVER: a\r\nserver: a\r\n",
            "server: a\r\nDate: 2\r\n",
        ]
        var random = SeededGenerator(seed: 1)
        var reader = ResponseReader(limits: ResponseLimits())
        for _ in 0..<200 {
            let text = "HTTP/1.1 204 \r\n\(heads.randomElement(using: &random) ?? "")\r\n"
            #expect(try read(text, by: size, with: &reader) == read(text, by: size))
        }
    }

    @Test(arguments: [1, 50, 10_000])
    func `A head that equals the last one is the head of another response, perhaps to another method`(size: Int) throws
    {
        let head = "HTTP/1.1 200 OK\r\nServer: a\r\nContent-Length: 5\r\n\r\n"
        let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n"
        let long = "HTTP/1.1 200 OK\r\nServer: \(String(repeating: "a", count: 3000))\r\nContent-Length: 0\r\n\r\n"
        let responses: [(method: HTTPRequest.Method, text: String)] = [
            (.get, head + "hello"), (.get, head + "world"), (.head, head), (.head, head), (.get, head + "hello"),
            (.get, head + "HTTP/"), (.get, head + "hello"),
            // A byte, the line endings or the number of fields differ.
            (.get, head.replacing("5", with: "4") + "hell"), (.get, head + "hello"),
            (.get, head.replacing("\r\n", with: "\n") + "hello"), (.get, head + "hello"),
            (.get, head.replacing("\r\n\r\n", with: "\r\nConnection: close\r\n\r\n") + "hello"), (.get, head + "hello"),
            (.get, head.replacing("Server: a\r\n", with: "") + "hello"), (.get, head + "hello"),
            (.get, "HTTP/1.1 103 Early\r\n\r\n\(head)hello"), (.get, "HTTP/1.1 103 Early\r\n\r\n\(head)hello"),
            (.get, chunked + "\r\n"), (.get, chunked + "X-T: 1\r\n\r\n"), (.get, chunked + "\r\n"),
            (.get, long), (.get, long), (.get, head + "hello"),
        ]
        var reader = ResponseReader(limits: ResponseLimits())
        for (method, text) in responses {
            #expect(try read(text, to: method, by: size, with: &reader) == read(text, to: method, by: size))
        }
    }

    @Test
    func `A body without a length lasts until the connection closes, and a HEAD response has no body`() throws {
        #expect(try read("HTTP/1.1 200 OK\r\n\r\nabc").text == "200 nil \nabc|")
        #expect(
            try read("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", to: .head).text == "200 0 Content-Length: 5\n."
        )
    }
}

extension ResponseReader.Part {
    fileprivate var shown: String {
        switch self {
        case .informational(let response): "\(response.status.code) \(response.headerFields.shown)\n"
        case .head(let response, _, let length):
            "\(response.status.code) \(length.map(String.init) ?? "nil") \(response.headerFields.shown)\n"
        case .chunk(let bytes): String(buffer: bytes) + "|"
        case .end(let trailers): trailers.shown + "."
        }
    }
}

extension HTTPFields {
    fileprivate var shown: String { map { "\($0.name.rawName): \($0.value)" }.joined(separator: ",") }
}
