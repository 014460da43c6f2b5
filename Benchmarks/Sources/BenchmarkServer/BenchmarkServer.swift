import NIOCore
import NIOHTTP1
import NIOPosix

/// A server for what nginx cannot do: it drops the bodies of PUT, and holds GETs until so many of them are there as
/// their paths say, such as `/10000`.
@main
enum BenchmarkServer {
    static func main() async throws {
        guard CommandLine.arguments.count == 2, let port = Int(CommandLine.arguments[1]) else {
            return print("usage: \(CommandLine.arguments[0]) PORT")
        }
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let held = NIOLoopBoundBox.makeBoxSendingValue([ChannelHandlerContext](), eventLoop: group.next())
        let server = try await ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 4096)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(
                .recvAllocator,
                value: AdaptiveRecvByteBufferAllocator(minimum: 64, initial: 2048, maximum: 1 << 20)
            )
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline(
                        withPipeliningAssistance: false,
                        withErrorHandling: false
                    )
                    try channel.pipeline.syncOperations.addHandler(Answering(held))
                }
            }
            .bind(host: "127.0.0.1", port: port)
            .get()
        try await server.closeFuture.get()
    }
}

private final class Answering: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let held: NIOLoopBoundBox<[ChannelHandlerContext]>
    private var holdsUntil = 0

    init(_ held: NIOLoopBoundBox<[ChannelHandlerContext]>) {
        self.held = held
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): holdsUntil = head.method == .GET ? Int(head.uri.dropFirst()) ?? 1 : 1
        case .body: break
        case .end where holdsUntil == 1: answer(context)
        case .end:
            held.value.append(context)
            if held.value.count >= holdsUntil {
                let all = held.value
                held.value = []
                for context in all { answer(context) }
            }
        }
    }

    private func answer(_ context: ChannelHandlerContext) {
        let head = HTTPResponseHead(version: .http1_1, status: .ok, headers: ["content-length": "2"])
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: "ok")))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }
}
