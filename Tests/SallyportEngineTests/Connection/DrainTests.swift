import HTTPTypes
import NIOCore
import NIOEmbedded
import SallyportTransport
import TestSupport
import Testing

@testable import SallyportEngine

@Suite(.concurrencyLimited) struct DrainTests {
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    private func exchange() throws -> Exchange {
        let head = HTTPRequest(method: .get, scheme: "http", authority: "server", path: "/")
        return Exchange(try OutgoingRequest(TransportRequest(head: head), acceptEncoding: nil))
    }

    private func receive(_ text: String, on channel: EmbeddedChannel) {
        channel.pipeline.fireChannelRead(ByteBuffer(string: text))
        channel.pipeline.fireChannelReadComplete()
    }

    /// Cancels the body of a response whose beginning has been received.
    private func cancel(_ beginning: String, on channel: EmbeddedChannel) throws -> any Connection {
        let exchange = try exchange()
        let connection = try OfflineConnection.connect(channel, for: exchange)
        connection.run(exchange)
        receive(beginning, on: channel)
        IncomingBody(exchange: exchange).cancel()
        #expect(exchange.isEnded)
        return connection
    }

    @Test(arguments: [
        ("HTTP/1.1 302 Found\r\nContent-Length: 9\r\n\r\nstart", "rest"),
        ("HTTP/1.1 302 Found\r\nContent-Length: 4\r\n\r\n", "rest"),
        ("HTTP/1.1 302 Found\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nstart", "\r\n4\r\nrest\r\n0\r\n\r\n"),
        ("HTTP/1.0 302 Found\r\nConnection: keep-alive\r\nContent-Length: 9\r\n\r\nstart", "rest"),
    ])
    func `The short rest of a cancelled body is received, and the connection is used again`(
        beginning: String,
        rest: String
    ) async throws {
        let channel = EmbeddedChannel()
        let connection = try cancel(beginning, on: channel)
        receive(rest, on: channel)
        let next = try exchange()
        connection.run(next)
        receive(Self.ok, on: channel)
        #expect(try await OfflineConnection.outcome(of: next).body == Array("ok".utf8))
        channel.close(promise: nil)
    }

    @Test(arguments: [
        "HTTP/1.1 302 Found\r\nConnection: close\r\nContent-Length: 9\r\n\r\nstart",
        "HTTP/1.1 302 Found\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nstart",
        "HTTP/1.1 302 Found\r\n\r\nstart", "HTTP/1.0 302 Found\r\nContent-Length: 9\r\n\r\nstart",
        "HTTP/1.1 302 Found\r\nContent-Length: 65542\r\n\r\nstart",
        "HTTP/1.1 302 Found\r\nTransfer-Encoding: chunked\r\n\r\n10006\r\nstart",
    ])
    func `A connection that a long rest or its end would not make usable is closed at once`(beginning: String) throws {
        let channel = EmbeddedChannel()
        _ = try cancel(beginning, on: channel)
        #expect(!channel.isActive)
    }

    @Test func `A rest that turns out to be long, or lasts longer than a second, closes the connection`() throws {
        let chunked = "HTTP/1.1 302 Found\r\nTransfer-Encoding: chunked\r\n\r\n"
        let long = EmbeddedChannel()
        _ = try cancel(chunked, on: long)
        let chunk = "4000\r\n" + String(repeating: "x", count: 0x4000) + "\r\n"
        for _ in 0..<4 { receive(chunk, on: long) }
        #expect(long.isActive)
        receive("1\r\nx", on: long)
        #expect(!long.isActive)

        let slow = EmbeddedChannel()
        let connection = try #require(try cancel(chunked, on: slow) as? HTTP1Connection)
        let deadline = connection.deadline
        #expect(deadline <= .now() + .seconds(1))
        receive("5\r\nstart", on: slow)
        #expect(connection.deadline == deadline)
        connection.deadlinePassed(at: deadline)
        #expect(!slow.isActive)
    }

    @Test func `The connection of a cancelled body that does not end is closed`() async throws {
        let start = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nstart\r\n"
        try await withScriptedServer([[.receiveRequest, .send(start), .stall]]) { server in
            let engine = Engine()
            defer { engine.close() }
            let head = HTTPRequest(method: .get, scheme: "http", authority: server.authority, path: "/")
            try await engine.send(TransportRequest(head: head, timeouts: .patient)) { $0.body.cancel() }
            try await server.waitForOpenConnections(0)
        }
    }
}
