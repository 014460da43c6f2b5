#if os(Linux) || os(macOS)
import NIOCore
import NIOHTTP1

/// One connection to a loopback port: one request, one reply, and its end.
final class LoopbackVisit: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let reception: LoopbackReception
    private var head: HTTPRequestHead?
    private var isAnswered = false

    init(_ reception: LoopbackReception) {
        self.reception = reception
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): self.head = head
        case .body: break
        case .end:
            guard let head, !isAnswered else { return }
            send(reception.reply(to: head), target: head.uri, in: context)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard !isAnswered, error is HTTPParserError || error is HeadSizeLimit.Exceeded else {
            context.close(promise: nil)
            return
        }
        send(reception.refusal(error is HeadSizeLimit.Exceeded ? .tooLarge : .malformed), target: "", in: context)
    }

    /// Sends the reply, or closes the connection without one.
    ///
    /// The reply is sent before the waiting task continues, as that may end the process.
    private func send(_ reply: LoopbackReply?, target: String, in context: ChannelHandlerContext) {
        isAnswered = true
        guard let reply else { return context.close(promise: nil) }
        let head = HTTPResponseHead(version: .http1_1, status: reply.status, headers: reply.headers)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        if self.head?.method != .HEAD {
            context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: reply.page)))), promise: nil)
        }
        let isSent = context.eventLoop.makePromise(of: Void.self)
        isSent.futureResult.whenComplete { [reception, channel = context.channel] _ in
            channel.close(promise: nil)
            if reply == .accepted { reception.finish(with: target) }
        }
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: isSent)
    }
}
#endif
