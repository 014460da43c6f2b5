import Foundation
import HTTPTypes
import NIOCore
import NIOEmbedded
import SallyportTransport
import TestSupport
import Testing

@testable import SallyportEngine

@Suite("Uploads")
struct UploadTests {
    @Test("A chunk whose sending brings the whole response releases its writer")
    func flushBringsTheResponse() async throws {
        let writer = Watched<CheckedContinuation<Bool, Never>?>(nil)
        async let goesOn = withCheckedContinuation { continuation in writer.update { $0 = continuation } }
        try await writer.wait("the writer") { $0 != nil }
        let isEnded = try write(then: try #require(writer.value))
        #expect(isEnded)
        #expect(await goesOn == false)
    }

    /// A failed write drains the socket: NIO reads the response, and closes, within the flush.
    private func write(then writer: CheckedContinuation<Bool, Never>) throws -> Bool {
        let head = HTTPRequest(method: .put, scheme: "http", authority: "server", path: "/")
        let body = RequestBody.stream(BodyStream(AsyncStream<Data> { _ in }))
        let outgoing = try OutgoingRequest(TransportRequest(head: head, body: body), acceptEncoding: nil)
        let exchange = Exchange(outgoing)
        let channel = EmbeddedChannel()
        let answersOnFlush = AnswersOnFlush()
        try channel.pipeline.syncOperations.addHandler(answersOnFlush)
        let connection = try OfflineConnection.install(on: channel, for: exchange)
        connection.run(exchange)
        answersOnFlush.isArmed = true
        connection.write(.chunk(ByteBuffer(repeating: 1, count: 100)), for: exchange, then: writer)
        if channel.isActive { channel.close(promise: nil) }
        channel.embeddedEventLoop.run()
        return exchange.isEnded
    }

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

    @Test("A body with trailers is held to its announced length too")
    func trailersKeepTheLength() async throws {
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
            await #expect(throws: NetworkError.self) {
                try await engine.send(request) { response in response.head.status }
            }
        }
    }

    @Test(
        "A field that frames or authorizes is refused as a trailer",
        arguments: ["Content-Length", "Authorization", "Proxy-Authorization", "Host"]
    )
    func forbiddenTrailers(name: String) async throws {
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
