import NIOCore
import NIOHTTP1

/// Responds to each request, or to all held requests at once.
final class Answering: ChannelInboundHandler {
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

    /// Removes a client that has disconnected from the count.
    func channelInactive(context: ChannelHandlerContext) {
        held.value.removeAll { $0 === context }
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private func answer(_ context: ChannelHandlerContext) {
        let head = HTTPResponseHead(version: .http1_1, status: .ok, headers: ["content-length": "2"])
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: "ok")))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }
}
