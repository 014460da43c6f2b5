import HTTPTypes
import NIOCore
import NIOEmbedded
import SallyportTransport
import TestSupport
import Testing

@testable import SallyportEngine

/// Tests which bytes from a server count as progress, so that the idle timeout begins again.
@Suite(.concurrencyLimited) struct ProgressTests {
    private static func exchange() throws -> Exchange {
        let head = HTTPRequest(method: .get, scheme: "http", authority: "server", path: "/")
        let request = TransportRequest(head: head, timeouts: Timeouts(idle: .seconds(60), total: nil))
        return Exchange(try OutgoingRequest(request, acceptEncoding: nil))
    }

    private func receive(_ bytes: [UInt8], on channel: EmbeddedChannel) {
        channel.pipeline.fireChannelRead(ByteBuffer(bytes: bytes))
        channel.pipeline.fireChannelReadComplete()
    }

    @Test func `Only a complete head and content move the deadline over HTTP/1.1`() throws {
        let channel = EmbeddedChannel()
        let exchange = try Self.exchange()
        let connection = try #require(try OfflineConnection.connect(channel, for: exchange) as? HTTP1Connection)
        connection.run(exchange)
        let pieces = [
            ("\r\n", false), ("HTTP/1.1 103 Early Hints\r\n", false), ("\r\n", true),
            ("HTTP/1.1 200 OK\r\nTrans", false),
            ("fer-Encoding: chunked\r\n", false), ("\r\n", true), ("a;na", false), ("me=value\r\n", false),
            ("he", true),
            ("llo", true), ("again", true), ("\r", false), ("\n0\r\n", false), ("X-T", false), ("railer: 1\r\n", false),
        ]
        for (text, isProgress) in pieces {
            let before = connection.deadline
            receive(Array(text.utf8), on: channel)
            #expect(
                isProgress ? connection.deadline > before : connection.deadline == before,
                "\(text.debugDescription)"
            )
        }
        channel.close(promise: nil)
    }

    @Test func `Only a complete head and content move the deadline over HTTP/2`() throws {
        let channel = EmbeddedChannel()
        let exchange = try Self.exchange()
        let connection = try #require(
            try OfflineConnection.connect(channel, for: exchange, speaking: .http2) as? HTTP2Connection
        )
        connection.run(exchange)
        let head = WireFrame.headers(1, [(name: ":status", value: "200")]).bytes
        let pieces: [([UInt8], Bool)] = [
            (WireFrame.settings([:]).bytes, false), (WireFrame.ping().bytes, false), (Array(head.dropLast(2)), false),
            (Array(head.suffix(2)), true), (WireFrame.data(1, []).bytes, false), (WireFrame.ping().bytes, false),
            (WireFrame.data(1, [65]).bytes, true), (WireFrame.windowUpdate(1, 5).bytes, false),
            (WireFrame.data(1, []).bytes, false),
        ]
        for (index, (bytes, isProgress)) in pieces.enumerated() {
            let before = try #require(connection.streams[1]).deadline
            receive(bytes, on: channel)
            let after = try #require(connection.streams[1]).deadline
            #expect(isProgress ? after > before : after == before, "piece \(index)")
        }
        channel.close(promise: nil)
    }

    @Test func `The time for which the caller does not wait for the body does not count`() throws {
        let channel = EmbeddedChannel()
        let exchange = try Self.exchange()
        let connection = try #require(try OfflineConnection.connect(channel, for: exchange) as? HTTP1Connection)
        connection.run(exchange)
        receive(Array("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab".utf8), on: channel)
        let deadline = connection.deadline
        connection.deadlinePassed(at: deadline)
        #expect(channel.isActive && !exchange.isEnded)
        #expect(connection.deadline == deadline + .seconds(60))
        channel.close(promise: nil)
    }

    /// A step that sends a piece every few milliseconds, for longer than any test.
    private static func slowly(_ piece: [UInt8]) -> ScriptStep {
        .repeating([.sendBytes(piece), .pause(.milliseconds(20))], times: 30_000)
    }

    private static func slowly(_ text: String) -> ScriptStep { slowly(Array(text.utf8)) }

    private static let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n"
    private static let gzipHead: [UInt8] = [31, 139, 8, 8, 0, 0, 0, 0, 0, 3]

    private static let slowServers: [(script: Script, phase: ExchangePhase, reason: String)] = [
        ([.send("HTTP/1.1 200 OK\r\nX-Slow: "), slowly("a")], .head, "of the response's head arrived"),
        ([slowly("H")], .head, "of the response's head arrived"),
        ([.send("\(chunked)\r\n5;name="), slowly("a")], .body, "no content was transferred for"),
        ([.send("\(chunked)\r\n0\r\nX-T: "), slowly("a")], .body, "no content was transferred for"),
        (
            [.send("\(chunked)Content-Encoding: gzip\r\n\r\na\r\n"), .sendBytes(gzipHead), slowly("\r\n1\r\na")],
            .body, "the encoded body gave no content for"
        ),
    ]

    @Test(arguments: slowServers.indices)
    func `A server that sends a byte from time to time, and no content, is given up after the idle timeout`(
        index: Int
    ) async throws {
        let slow = Self.slowServers[index]
        try await withScriptedServer([[.receiveRequest] + slow.script]) { server in
            let engine = Engine()
            defer { engine.close() }
            let head = HTTPRequest(method: .get, scheme: "http", authority: server.authority, path: "/")
            let request = TransportRequest(head: head, timeouts: Timeouts(idle: .milliseconds(300), total: nil))
            let error = try await withDeadline(.patience, "the timeout") {
                await #expect(throws: NetworkError.self) {
                    try await engine.send(request) { try await $0.body.collect(upTo: 1_000) }
                }
            }
            guard case .timeout(let failure)? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(failure.phase == slow.phase)
            #expect(failure.reason.contains(slow.reason), "\(failure.reason)")
            try await server.waitForOpenConnections(0)
        }
    }

    @Test(arguments: [WireFrame.data(1, []), WireFrame.ping()])
    func `Empty frames and PINGs do not delay the idle timeout`(frame: WireFrame) async throws {
        let script: HTTP2Script =
            .greeting() + [.receiveRequest(1), .head(1), .data(1, "start")]
            + [.repeating([.send(frame), .pause(.milliseconds(20))], times: 500)] + [.stall]
        try await HTTP2Bench.serve(script) { bench in
            let request = bench.request(timeouts: Timeouts(idle: .seconds(2), total: nil))
            let failure = await bench.expectFailure(.timeout, of: request, saying: "no content was transferred for")
            #expect(failure?.phase == .body)
        }
    }
}
