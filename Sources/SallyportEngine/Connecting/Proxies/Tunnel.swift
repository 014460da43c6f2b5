import NIOCore
import SallyportTransport

/// Speaks with a proxy at the beginning of a connection, until the proxy passes on what is sent.
final class Tunnel: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    private var dialogue: any ProxyDialogue
    private let done: EventLoopPromise<any Channel>
    private var received = ByteBuffer()
    private var isDone = false

    private init(_ dialogue: any ProxyDialogue, done: EventLoopPromise<any Channel>) {
        self.dialogue = dialogue
        self.done = done
    }

    /// Opens a tunnel over a connected channel that does not read yet, and leaves it so.
    ///
    /// - Parameters:
    ///   - deadline: When the proxy must have opened it.
    ///   - limit: The limit that ends there, as it stands in the error.
    static func open(
        on channel: any Channel,
        by dialogue: any ProxyDialogue,
        deadline: NIODeadline?,
        limit: Duration?
    ) -> EventLoopFuture<any Channel> {
        let done = channel.eventLoop.makePromise(of: (any Channel).self)
        do {
            let tunnel = Tunnel(dialogue, done: done)
            try channel.pipeline.syncOperations.addHandler(tunnel)
            if let deadline, let limit { tunnel.giveUp(at: deadline, limit, on: channel) }
            channel.writeAndFlush(ByteBuffer(bytes: dialogue.opening), promise: nil)
            try channel.beginReading()
        } catch {
            done.fail(lost(dialogue.proxy, underlying: error))
        }
        return done.futureResult.flatMapErrorThrowing { error in
            channel.close(mode: .all, promise: nil)
            throw error
        }
    }

    private func giveUp(at deadline: NIODeadline, _ limit: Duration, on channel: any Channel) {
        channel.eventLoop.assumeIsolated().scheduleTask(deadline: deadline) { [weak self] in
            guard let self else { return }
            let reason = "the proxy \(self.dialogue.proxy.place) did not open a tunnel within \(limit.inSeconds)"
            let advice = "check that it is a proxy of this kind, and that it can reach the server"
            self.fail(.timeout(NetworkFailure(reason, phase: .connect, advice: advice)))
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isDone else { return context.fireChannelRead(data) }
        received.writeImmutableBuffer(unwrapInboundIn(data))
        do throws(NetworkError) {
            while true {
                let step = try dialogue.receive(&received)
                if step == .wait { return }
                // What answers nothing was not said by someone who passes on what another says.
                guard received.readableBytes == 0 else {
                    throw .invalid(dialogue.proxy, "sent more than the answer to what it was asked")
                }
                guard case .say(let bytes) = step else { return try succeed(context) }
                context.writeAndFlush(NIOAny(ByteBuffer(bytes: bytes)), promise: nil)
            }
        } catch {
            fail(error)
        }
    }

    private func succeed(_ context: ChannelHandlerContext) throws(NetworkError) {
        isDone = true
        let channel = context.channel
        do {
            try channel.syncOptions?.setOption(.autoRead, value: false)
        } catch {
            throw Self.lost(dialogue.proxy, underlying: error)
        }
        context.pipeline.syncOperations.removeHandler(self, promise: nil)
        done.succeed(channel)
    }

    private func fail(_ error: NetworkError) {
        guard !isDone else { return }
        isDone = true
        done.fail(error)
    }

    private static func lost(_ proxy: Proxy, underlying error: (any Error)? = nil) -> NetworkError {
        let reason = "the proxy \(proxy.place) ended the connection before it had opened a tunnel"
        return .connectionFailed(NetworkFailure(reason, phase: .connect, underlying: error))
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard !isDone else { return context.fireErrorCaught(error) }
        fail(Self.lost(dialogue.proxy, underlying: error))
    }

    func channelInactive(context: ChannelHandlerContext) {
        fail(Self.lost(dialogue.proxy))
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        fail(Self.lost(dialogue.proxy))
    }
}
