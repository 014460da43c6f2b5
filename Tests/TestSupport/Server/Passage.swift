import NIOCore

/// One direction of a connection through a proxy. It reads more once the other side has sent the previous bytes.
///
/// Both connections must be on one event loop and must not read automatically.
package final class Passage: ChannelInboundHandler {
    package typealias InboundIn = ByteBuffer

    private let other: any Channel
    private var left: Int?
    private let mayEnd: EventLoopFuture<Void>?
    private let count: (Int) -> Void

    /// - Parameters:
    ///   - other: The connection that the bytes are written to.
    ///   - limit: The number of bytes after which both connections are reset, or `nil`.
    ///   - mayEnd: A further condition for the reset.
    ///   - count: Called with the number of bytes whenever the other side has sent some.
    package init(
        to other: any Channel,
        limit: Int? = nil,
        until mayEnd: EventLoopFuture<Void>? = nil,
        count: @escaping (Int) -> Void = { _ in }
    ) {
        self.other = other
        left = limit
        self.mayEnd = mayEnd
        self.count = count
    }

    package func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { context.read() }
    }

    package func channelActive(context: ChannelHandlerContext) {
        context.read()
        context.fireChannelActive()
    }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        let passed = bytes.readSlice(length: min(bytes.readableBytes, left ?? .max)) ?? bytes
        left = left.map { $0 - passed.readableBytes }
        let (channel, other, isCut) = (context.channel, other, left == 0)
        other.writeAndFlush(passed).assumeIsolated().whenSuccess {
            self.count(passed.readableBytes)
            guard isCut else { return channel.read() }
            (self.mayEnd ?? channel.eventLoop.makeSucceededVoidFuture()).whenComplete { _ in
                channel.close(promise: nil)
                other.close(promise: nil)
            }
        }
    }

    package func channelInactive(context: ChannelHandlerContext) {
        other.close(promise: nil)
        context.fireChannelInactive()
    }

    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}
