import NIOCore
import NIOPosix

/// A server on 127.0.0.1 whose answers a closure determines.
///
/// ```swift
/// try await AnsweringServer.run { request, _ in AnsweringServer.response(200, "{}") } _: { server in … }
/// ```
public final class AnsweringServer: Sendable {
    /// A closure that returns the bytes of a complete response.
    public typealias Answer = @Sendable (_ request: ReceivedRequest, _ baseURL: String) -> [UInt8]

    /// The URL of the server, without a slash at the end.
    public let baseURL: String
    private let received: Watched<[ReceivedRequest]>

    private init(baseURL: String, received: Watched<[ReceivedRequest]>) {
        self.baseURL = baseURL
        self.received = received
    }

    /// The requests received so far, in order.
    public var requests: [ReceivedRequest] { received.value }

    /// Runs a server while a closure runs.
    public static func run<Result: Sendable>(
        answering answer: @escaping Answer,
        _ body: (AnsweringServer) async throws -> Result
    ) async throws -> Result {
        let received = Watched<[ReceivedRequest]>([])
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(AnsweringHandler(answer, received))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let server = AnsweringServer(
            baseURL: "http://127.0.0.1:\(listener.localAddress?.port ?? 0)",
            received: received
        )
        do {
            let result = try await body(server)
            try await listener.close()
            return result
        } catch {
            try await listener.close()
            throw error
        }
    }

    /// Returns a complete response.
    public static func response(_ status: Int, _ body: some Collection<UInt8>, type: String = "application/json")
        -> [UInt8]
    {
        let head = "HTTP/1.1 \(status) Said\r\nContent-Type: \(type)\r\nContent-Length: \(body.count)\r\n\r\n"
        return Array(head.utf8) + body
    }

    /// Returns a complete response with a text.
    public static func response(_ status: Int, _ body: String, type: String = "application/json") -> [UInt8] {
        response(status, body.utf8, type: type)
    }
}

/// A connection to the server.
private final class AnsweringHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let answer: AnsweringServer.Answer
    private let received: Watched<[ReceivedRequest]>
    private var bytes: [UInt8] = []

    init(_ answer: @escaping AnsweringServer.Answer, _ received: Watched<[ReceivedRequest]>) {
        (self.answer, self.received) = (answer, received)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        bytes += unwrapInboundIn(data).readableBytesView
        while let request = ReceivedRequest.first(in: bytes[...]), let end = request.end {
            bytes.removeFirst(end)
            received.update { $0.append(request) }
            let baseURL = "http://127.0.0.1:\(context.channel.localAddress?.port ?? 0)"
            let response = ByteBuffer(bytes: answer(request, baseURL))
            context.writeAndFlush(wrapOutboundOut(response), promise: nil)
        }
    }
}
