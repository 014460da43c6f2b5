import NIOCore
import NIOEmbedded
import NIOHTTP1
import TestSupport
import Testing

@testable import SallyportLoopback

@Suite(.concurrencyLimited) struct LoopbackPortTests {
    private static let head = "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n"

    /// Returns an open connection whose time is that of the test.
    private func connection(
        on loop: EmbeddedEventLoop,
        _ respond: @escaping LoopbackPort.Responder
    ) throws -> EmbeddedChannel {
        let connection = EmbeddedChannel(loop: loop)
        try LoopbackPort.addHandlers(to: connection, respond)
        try connection.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 80)).wait()
        return connection
    }

    @Test(arguments: ["", head])
    func `A connection is closed if its request is not complete after ten seconds`(sent: String) throws {
        let loop = EmbeddedEventLoop()
        let connection = try connection(on: loop) { received in
            if case .request = received { Issue.record("an incomplete request was answered") }
            return loop.makeSucceededFuture(nil)
        }
        loop.advanceTime(by: .seconds(9))
        #expect(connection.isActive)
        try connection.writeInbound(ByteBuffer(string: sent))
        loop.advanceTime(by: .seconds(1))
        #expect(!connection.isActive)
    }

    @Test func `The time that a response takes is not limited`() throws {
        let loop = EmbeddedEventLoop()
        let response = loop.makePromise(of: LoopbackPort.Answer?.self)
        let connection = try connection(on: loop) { _ in response.futureResult }
        try connection.writeInbound(ByteBuffer(string: Self.head + "\r\n"))
        loop.advanceTime(by: .seconds(60))
        #expect(connection.isActive)
        response.succeed(LoopbackPort.Answer(status: .ok, headers: [:], body: ByteBuffer()))
        let sent = try connection.readOutbound(as: ByteBuffer.self).map { String(buffer: $0) }
        #expect(sent?.hasPrefix("HTTP/1.1 200 OK\r\n") == true)
        #expect(!connection.isActive)
    }
}
