import NIOCore

/// Gives what TLS has decrypted memory of its own.
///
/// NIOSSL decrypts into the same memory again and again. If what it gave is still in use, it first makes a copy of all
/// that memory, of which most is of no use: that costs more than the decryption.
final class KeptPlaintext: ChannelInboundHandler, Sendable {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let decrypted = unwrapInboundIn(data)
        var kept = context.channel.allocator.buffer(capacity: decrypted.readableBytes)
        kept.writeImmutableBuffer(decrypted)
        context.fireChannelRead(wrapInboundOut(kept))
    }
}
