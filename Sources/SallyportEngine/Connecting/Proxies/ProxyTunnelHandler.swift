import NIOCore
import SallyportTransport

/// Performs the handshake with a proxy at the start of a connection, and then removes itself from the pipeline.
final class ProxyTunnelHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    private var handshake: any ProxyHandshake
    private let done: EventLoopPromise<any Channel>
    private var received = ByteBuffer()
    private var isDone = false

    private init(_ handshake: any ProxyHandshake, done: EventLoopPromise<any Channel>) {
        self.handshake = handshake
        self.done = done
    }

    /// Opens a tunnel over a connected channel that does not read yet. The channel does not read afterwards either.
    ///
    /// - Parameters:
    ///   - deadline: The time by which the proxy must have opened the tunnel.
    ///   - limit: The timeout that ends at the deadline, for the error.
    static func open(
        on channel: any Channel,
        with handshake: any ProxyHandshake,
        deadline: NIODeadline?,
        limit: Duration?
    ) -> EventLoopFuture<any Channel> {
        let done = channel.eventLoop.makePromise(of: (any Channel).self)
        do {
            let tunnel = ProxyTunnelHandler(handshake, done: done)
            try channel.pipeline.syncOperations.addHandler(tunnel)
            if let deadline, let limit { tunnel.scheduleTimeout(at: deadline, limit, on: channel) }
            channel.writeAndFlush(ByteBuffer(bytes: handshake.firstMessage), promise: nil)
            try channel.beginReading()
        } catch {
            done.fail(lost(handshake.proxy, underlying: error))
        }
        return done.futureResult.flatMapErrorThrowing { error in
            channel.close(mode: .all, promise: nil)
            throw error
        }
    }

    private func scheduleTimeout(at deadline: NIODeadline, _ limit: Duration, on channel: any Channel) {
        channel.eventLoop.assumeIsolated().scheduleTask(deadline: deadline) { [weak self] in
            guard let self else { return }
            let reason =
                "the proxy \(self.handshake.proxy.authority) did not open a tunnel within \(Quantity.time(limit))"
            let advice = "check that it is a proxy of this kind, and that it can reach the server"
            self.fail(.timeout(NetworkFailure(reason, phase: .connect, advice: advice)))
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isDone else { return context.fireChannelRead(data) }
        received.writeImmutableBuffer(unwrapInboundIn(data))
        do throws(NetworkError) {
            while true {
                let step = try handshake.receive(&received)
                if step == .receiveMore { return }
                // Extra bytes cannot come from the server, to which nothing has been sent.
                guard received.readableBytes == 0 else {
                    throw .invalid(handshake.proxy, "sent more than the expected response")
                }
                guard case .send(let bytes) = step else { return try succeed(context) }
                context.writeAndFlush(NIOAny(ByteBuffer(bytes: bytes)), promise: nil)
            }
        } catch {
            fail(error)
        }
    }

    private func succeed(_ context: ChannelHandlerContext) throws(NetworkError) {
        let channel = context.channel
        do {
            try channel.syncOptions?.setOption(.autoRead, value: false)
        } catch {
            throw Self.lost(handshake.proxy, underlying: error)
        }
        isDone = true
        context.pipeline.syncOperations.removeHandler(self, promise: nil)
        done.succeed(channel)
    }

    private func fail(_ error: NetworkError) {
        guard !isDone else { return }
        isDone = true
        done.fail(error)
    }

    private static func lost(_ proxy: Proxy, underlying error: (any Error)? = nil) -> NetworkError {
        let reason = "the proxy \(proxy.authority) ended the connection before it had opened a tunnel"
        return .connectionFailed(NetworkFailure(reason, phase: .connect, underlying: error))
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard !isDone else { return context.fireErrorCaught(error) }
        fail(Self.lost(handshake.proxy, underlying: error))
    }

    func channelInactive(context: ChannelHandlerContext) {
        fail(Self.lost(handshake.proxy))
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        fail(Self.lost(handshake.proxy))
    }
}

/// The exchange of messages with a proxy that establishes a tunnel. Input may arrive in pieces of any size.
protocol ProxyHandshake: Sendable {
    var proxy: Proxy { get }

    /// The first message to the proxy.
    var firstMessage: [UInt8] { get }

    /// Reads the complete messages in a buffer, and leaves an incomplete one.
    ///
    /// - Throws: ``NetworkError`` if the proxy refuses, or violates the protocol.
    mutating func receive(_ bytes: inout ByteBuffer) throws(NetworkError) -> ProxyHandshakeStep
}

/// The next step of a handshake with a proxy.
enum ProxyHandshakeStep: Equatable {
    case receiveMore
    case send([UInt8])
    /// The tunnel is established: the proxy forwards all further bytes.
    case established
}

extension NetworkError {
    /// Returns the error for a proxy that violates the protocol.
    static func invalid(_ proxy: Proxy, _ problem: String, advice: String? = nil) -> NetworkError {
        .invalidResponse(NetworkFailure("the proxy \(proxy.authority) \(problem)", phase: .connect, advice: advice))
    }

    /// Returns the error for a proxy that does not open the tunnel.
    static func refused(by proxy: Proxy, _ problem: String, advice: String? = nil) -> NetworkError {
        .connectionFailed(NetworkFailure("the proxy \(proxy.authority) \(problem)", phase: .connect, advice: advice))
    }
}
