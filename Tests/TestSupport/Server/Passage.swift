import NIOCore

/// One direction of a connection through a proxy: reads more once the other side has taken what was read.
///
/// Both its connections have to be on one event loop, and read only when they are told to.
package final class Passage: ChannelInboundHandler {
    package typealias InboundIn = ByteBuffer

    private let other: any Channel
    private var left: Int?
    private let mayEnd: EventLoopFuture<Void>?
    private let count: (Int) -> Void

    /// - Parameters:
    ///   - other: The connection that is given what this one reads.
    ///   - limit: How many bytes pass before both are broken; `nil` if they are not.
    ///   - mayEnd: What else has to happen before both are broken.
    ///   - count: Called with the number of bytes each time that the other side has taken some.
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
