import Foundation
import HTTPTypes
import SallyportTransport
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct HTTP2MalformedTests {
    struct Malformed: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let steps: HTTP2Script

        init(_ description: String, _ steps: HTTP2Step...) {
            testDescription = description
            self.steps = steps
        }
    }

    private static let ok = (":status", "200")

    static let ofStreams: [Malformed] = [
        Malformed("no status", .headers(1, [("server", "x")], end: true)),
        Malformed("two statuses", .headers(1, [ok, (":status", "404")], end: true)),
        Malformed("a status that is not a number", .headers(1, [(":status", "abc")], end: true)),
        Malformed("a status of two digits", .headers(1, [(":status", "20")], end: true)),
        Malformed("a status of four digits", .headers(1, [(":status", "2000")], end: true)),
        Malformed("a name in upper case", .headers(1, [ok, ("X-Upper", "1")], end: true)),
        Malformed("an empty name", .headers(1, [ok, ("", "1")], end: true)),
        Malformed("a name with a blank", .headers(1, [ok, ("a b", "1")], end: true)),
        Malformed("a line break in a value", .headers(1, [ok, ("x", "a\r\nb: c")], end: true)),
        Malformed("a NUL in a value", .headers(1, [ok, ("x", "a\0b")], end: true)),
        Malformed("a Connection field", .headers(1, [ok, ("connection", "close")], end: true)),
        Malformed("a Transfer-Encoding field", .headers(1, [ok, ("transfer-encoding", "chunked")], end: true)),
        Malformed("a Keep-Alive field", .headers(1, [ok, ("keep-alive", "timeout=5")], end: true)),
        Malformed("an Upgrade field", .headers(1, [ok, ("upgrade", "h3")], end: true)),
        Malformed("a status after another field", .headers(1, [("server", "x"), ok], end: true)),
        Malformed("an unknown pseudo-header field", .headers(1, [ok, (":version", "2")], end: true)),
        Malformed("a pseudo-header field of requests", .headers(1, [ok, (":path", "/")], end: true)),
        Malformed("status 101", .head(1, status: "101", [("server", "x")])),
        Malformed("an informational response that ends the stream", .head(1, status: "103", end: true)),
        Malformed("a body before its head", .data(1, "early", end: true)),
        Malformed("a body after an informational response only", .head(1, status: "103"), .data(1, "x", end: true)),
        Malformed(
            "two different lengths",
            .head(1, [("content-length", "2"), ("content-length", "3")]),
            .data(1, "ok", end: true)
        ),
        Malformed("a list of different lengths", .head(1, [("content-length", "2, 3")]), .data(1, "ok", end: true)),
        Malformed("a length that is not a number", .head(1, [("content-length", "two")]), .data(1, "ok", end: true)),
        Malformed("a negative length", .head(1, [("content-length", "-2")]), .data(1, "ok", end: true)),
        Malformed("a body longer than announced", .head(1, [("content-length", "1")]), .data(1, "ok", end: true)),
    ]

    static let ofBodies: [Malformed] = [
        Malformed("a status in the trailers", .head(1), .data(1, "x"), .headers(1, [ok], end: true)),
        Malformed(
            "trailers that do not end the stream",
            .head(1),
            .data(1, "x"),
            .headers(1, [("a", "b")]),
            .data(1, "", end: true)
        ),
        Malformed("a second final head", .head(1), .data(1, "x"), .headers(1, [ok]), .data(1, "", end: true)),
        Malformed(
            "a name in upper case in the trailers",
            .head(1),
            .data(1, "x"),
            .headers(1, [("X-Up", "1")], end: true)
        ),
    ]

    static let withoutTheWholeBody: [Malformed] = [
        Malformed(
            "trailers after a body that is too short",
            .head(1, [("content-length", "2")]),
            .data(1, "x"),
            .headers(1, [("a", "b")], end: true)
        ),
        Malformed("a body shorter than announced", .head(1, [("content-length", "2")]), .data(1, "x", end: true)),
        Malformed("a body announced and not sent", .head(1, [("content-length", "2")], end: true)),
    ]

    static let ofConnections: [Malformed] = [
        Malformed("DATA on stream 0", .send(.data(0, [1]))),
        Malformed("HEADERS on stream 0", .send(.headers(0, [ok]))),
        Malformed("a response on a stream that was never opened", .head(99)),
        Malformed("SETTINGS on a stream", .send(WireFrame(.settings, stream: 1))),
        Malformed("SETTINGS of five bytes", .send(WireFrame(.settings, [0, 1, 0, 0, 0]))),
        Malformed("SETTINGS with a window larger than the maximum", .settings([.initialWindowSize: 0x8000_0000])),
        Malformed("SETTINGS with a frame size too small", .settings([.maxFrameSize: 100])),
        Malformed("SETTINGS with an invalid push value", .settings([.enablePush: 2])),
        Malformed("SETTINGS that enable push", .settings([.enablePush: 1])),
        Malformed("PRIORITY on stream 0", .send(WireFrame(.priority, [0, 0, 0, 0, 1]))),
        Malformed("PING of seven bytes", .send(WireFrame(.ping, [1, 2, 3, 4, 5, 6, 7]))),
        Malformed("RST_STREAM for a stream that was never opened", .send(.reset(99, 0))),
        Malformed("RST_STREAM of three bytes", .send(WireFrame(.reset, stream: 1, [0, 0, 0]))),
        Malformed("GOAWAY of four bytes", .send(WireFrame(.goAway, [0, 0, 0, 0]))),
        Malformed("CONTINUATION without HEADERS", .send(WireFrame(.continuation, flags: 4, stream: 1, [0]))),
        Malformed("another frame within a head", .send(WireFrame(.headers, stream: 1, [0]), .ping())),
        Malformed("padding longer than its frame", .send(WireFrame(.data, flags: 8, stream: 1, [200, 1]))),
        Malformed(
            "a frame larger than allowed",
            .send(WireFrame(.data, stream: 1, [], announcedLength: 0xFF_FFFF))
        ),
        Malformed(
            "fields that are not valid HPACK",
            .send(WireFrame(.headers, flags: 5, stream: 1, [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]))
        ),
        Malformed("a window enlarged beyond the maximum", .send(.windowUpdate(0, 0x7FFF_FFFF))),
        Malformed("the connection's window enlarged by zero", .send(.windowUpdate(0, 0))),
        Malformed(
            "a push",
            .send(
                WireFrame(
                    .pushPromise,
                    flags: 4,
                    stream: 1,
                    [0, 0, 0, 2]
                        + WireFrame.block([
                            (":method", "GET"), (":scheme", "http"), (":authority", "a"), (":path", "/"),
                        ])
                )
            )
        ),
        Malformed("HTTP/1.1", .sendBytes(Array("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n".utf8))),
    ]

    @Test(arguments: ofStreams)
    func `A malformed response fails as invalidResponse, and the next call succeeds`(malformed: Malformed)
        async throws
    {
        try await HTTP2Bench.serve(.greeting() + [.receiveRequest(1)] + malformed.steps + .answer(), .answers(1)) {
            bench in
            await bench.expectFailure(.invalidResponse)
            try await bench.expectOK()
        }
    }

    @Test(arguments: ofBodies)
    func `A malformed end of a body fails as invalidResponse, and the next call succeeds`(malformed: Malformed)
        async throws
    {
        try await HTTP2Bench.serve(.greeting() + [.receiveRequest(1)] + malformed.steps + .answer(), .answers(1)) {
            bench in
            await bench.expectFailure(.invalidResponse)
            try await bench.expectOK()
        }
    }

    @Test(arguments: withoutTheWholeBody)
    func `A body shorter than its length fails as incompleteBody, and the next call succeeds`(malformed: Malformed)
        async throws
    {
        try await HTTP2Bench.serve(.greeting() + [.receiveRequest(1)] + malformed.steps + .answer(), .answers(1)) {
            bench in
            await bench.expectFailure(.incompleteBody, saying: "the server ended the stream before the body")
            try await bench.expectOK()
        }
    }

    @Test(
        arguments: ofConnections
    )
    func `A connection error closes the connection, and the next call uses another`(malformed: Malformed) async throws {
        try await HTTP2Bench.serve(.greeting() + [.receiveRequest(1)] + malformed.steps + [.stall], .answers(1)) {
            bench in
            await bench.expectFailure(.invalidResponse, of: bench.request(timeouts: Timeouts(total: .patience)))
            try await bench.server.connection(0).waitUntilClosedByClient()
            try await bench.expectOK()
        }
    }

    @Test(arguments: ["HTTP/1.1 400 Bad Request\r\n\r\n", "SSH-2.0-x\r\n"]
    )
    func `A server that does not use HTTP/2 fails the call as an invalid response`(greeting: String) async throws {
        try await HTTP2Bench.serve([.sendBytes(Array(greeting.utf8)), .stall]) { bench in
            await bench.expectFailure(
                .invalidResponse,
                of: bench.request(timeouts: Timeouts(total: .patience)),
                saying: "the server sent something that is not HTTP/2"
            )
        }
    }
}
