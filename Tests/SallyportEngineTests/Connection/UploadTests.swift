import Foundation
import HTTPTypes
import NIOCore
import NIOEmbedded
import SallyportTransport
import TestSupport
import Testing

@testable import SallyportEngine

@Suite(.concurrencyLimited) struct UploadTests {
    @Test
    func `A producer stops if writing a chunk delivers the complete response`() async throws {
        let head = HTTPRequest(method: .put, scheme: "http", authority: "server", path: "/")
        let body = RequestBody.stream(BodyStream(AsyncStream<Data> { _ in }))
        let outgoing = try OutgoingRequest(TransportRequest(head: head, body: body), acceptEncoding: nil)
        let exchange = Exchange(outgoing)
        let channel = EmbeddedChannel()
        let answersOnFlush = AnswersOnFlush()
        try channel.pipeline.syncOperations.addHandler(answersOnFlush)
        let connection = try #require(try OfflineConnection.connect(channel, for: exchange) as? HTTP1Connection)
        connection.run(exchange)
        answersOnFlush.isArmed = true
        let buffer = UploadBuffer { _ in }
        try await buffer.add(Data(repeating: 1, count: 100))
        connection.send(buffer, for: exchange)
        if channel.isActive { channel.close(promise: nil) }
        channel.embeddedEventLoop.run()
        #expect(exchange.isEnded)
        await #expect(throws: UploadStopped.self) { try await buffer.add(Data(repeating: 1, count: 100)) }
    }

    /// After a failed write NIO reads the response and closes the channel within the flush.
    private final class AnswersOnFlush: ChannelOutboundHandler {
        typealias OutboundIn = ByteBuffer
        var isArmed = false

        func flush(context: ChannelHandlerContext) {
            context.flush()
            guard isArmed else { return }
            isArmed = false
            let answer = ByteBuffer(string: "HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\n\r\n")
            context.fireChannelRead(NIOAny(answer))
            context.fireChannelReadComplete()
            (context.channel as? EmbeddedChannel)?.isWritable = false
        }
    }

    @Test
    func `The announced length of a body with trailers is verified`() async throws {
        try await withScriptedServer([[.receiveHead, .stall]]) { server in
            let engine = Engine()
            defer { engine.close() }
            let chunks = AsyncStream<Data> { continuation in
                continuation.yield(Data("abc".utf8))
                continuation.finish()
            }
            let head = HTTPRequest(method: .put, scheme: "http", authority: server.authority, path: "/")
            let body = RequestBody.stream(BodyStream(chunks, length: 10))
            let request = TransportRequest(head: head, body: body, trailers: { [:] })
            await expectError(\NetworkError.kind, "invalidRequest") {
                try await engine.send(request) { response in response.head.status }
            }
        }
    }

    @Test(arguments: ["Content-Length", "Authorization", "Proxy-Authorization", "Host"]
    )
    func `Framing, authorization and Host fields are refused as trailers`(name: String) async throws {
        try await withScriptedServer([[.receiveHead, .stall]]) { server in
            let engine = Engine()
            defer { engine.close() }
            let field = HTTPField(name: try #require(HTTPField.Name(name)), value: "1")
            let head = HTTPRequest(method: .put, scheme: "http", authority: server.authority, path: "/")
            let request = TransportRequest(
                head: head,
                body: .data(Data("a".utf8)),
                trailers: { [field.name: field.value] }
            )
            await #expect {
                try await engine.send(request) { response in response.head.status }
            } throws: { error in
                if case NetworkError.invalidRequest = error { true } else { false }
            }
        }
    }
}
