#if os(Linux) || os(macOS)
import NIOCore

/// Bounds what comes in on a connection for one request, which needs no body.
final class HeadSizeLimit: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    /// More came in than is read.
    struct Exceeded: Error {}

    /// Codes of some servers are long, and the cookies of every other server on 127.0.0.1 come along.
    static let bytes = 64 * 1024

    private var received = 0

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard received <= Self.bytes else { return }
        received += unwrapInboundIn(data).readableBytes
        if received > Self.bytes {
            context.fireErrorCaught(Exceeded())
        } else {
            context.fireChannelRead(data)
        }
    }
}
#endif
