import NIOCore

/// Watches the bytes of responses: whether any came, whether they were asked for, and whether a response ended exactly
/// where the bytes read so far do.
///
/// NIO's decoder keeps bytes that follow a response to itself, as the beginning of the next one. A connection that has
/// such bytes cannot be used again: they would be taken for the answer to the next request.
final class ResponseTail: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private var last = ByteBuffer()
    private var isExpecting = false

    /// Whether anything has come since a response began to be expected.
    private(set) var hasReceived = false

    func beginResponse() {
        isExpecting = true
        hasReceived = false
    }

    /// To be called as soon as the response is whole: what is read after that, be it in the same burst, is surplus.
    func endResponse() {
        isExpecting = false
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard isExpecting else { return context.fireErrorCaught(UnsolicitedBytes()) }
        hasReceived = true
        last = unwrapInboundIn(data)
        context.fireChannelRead(data)
        last = ByteBuffer()
    }

    /// Whether the bytes end where a body of known length did, given its last part.
    ///
    /// The part is a slice of the same memory unless the decoder had to join reads; then the answer is no,
    /// which costs a connection and nothing else.
    func ends(with part: ByteBuffer?) -> Bool {
        guard let part else { return endsWithBlankLine }
        return part.withUnsafeReadableBytes { part in
            last.withUnsafeReadableBytes { last in
                guard let partStart = part.baseAddress, let lastStart = last.baseAddress else { return false }
                return partStart + part.count == lastStart + last.count
            }
        }
    }

    /// Whether the bytes end as a head without a body, and a chunked body, do. What follows either of them and
    /// ends so too is a whole head, which the decoder reports as unsolicited.
    private var endsWithBlankLine: Bool {
        last.readableBytesView.suffix(4).elementsEqual("\r\n\r\n".utf8)
    }
}

/// The server sent bytes that no request asked for.
struct UnsolicitedBytes: Error {}
