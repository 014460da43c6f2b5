import NIOCore
import NIOPosix

/// An HTTP/2 connection of a front, and its idle connections to the HTTP/1.1 server.
///
/// It is used on the event loop of the HTTP/2 connection, which also runs the HTTP/1.1 connections.
final class FrontConnection {
    private let channel: any Channel
    private let port: Int
    private var idle: [FrontBackend] = []

    init(channel: any Channel, port: Int) {
        self.channel = channel
        self.port = port
    }

    /// Returns a connection to the HTTP/1.1 server, and whether it has been used before.
    func take(then use: @escaping (Result<FrontBackend, any Error>) -> Void) {
        if let backend = idle.popLast() { return use(.success(backend)) }
        ClientBootstrap(group: channel.eventLoop)
            .channelOption(.autoRead, value: false)
            .channelOption(.socketOption(.tcp_nodelay), value: 1)
            .connect(host: "127.0.0.1", port: port)
            .assumeIsolated()
            .flatMapThrowing { channel in
                let backend = FrontBackend(channel: channel)
                try channel.pipeline.syncOperations.addHandler(backend)
                return backend
            }
            .whenComplete(use)
    }

    /// Keeps a connection for the next exchange.
    func keep(_ backend: FrontBackend) {
        guard channel.isActive else { return backend.close() }
        idle.append(backend)
        backend.rest { [weak self] in self?.idle.removeAll { $0 === backend } }
    }

    func close() {
        channel.close(promise: nil)
    }

    func closeIdle() {
        for backend in idle { backend.close() }
        idle = []
    }
}

/// A connection from a front to the HTTP/1.1 server.
final class FrontBackend: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    /// The receiver of input: the bytes, and then whether the connection ended without an error.
    struct Listener {
        var received: (ByteBuffer) -> Void
        var ended: (_ inOrder: Bool) -> Void
    }

    private let channel: any Channel
    private var listener: Listener?
    private var isInOrder = true

    init(channel: any Channel) {
        self.channel = channel
    }

    var isWritable: Bool { channel.isWritable }

    func begin(_ listener: Listener) {
        self.listener = listener
        guard channel.isActive else { return channelEnded() }
        channel.read()
    }

    /// Waits for the next exchange. If the server closes or sends anything before, the connection is not reused.
    func rest(ended: @escaping () -> Void) {
        listener = Listener(received: { [weak self] _ in self?.close() }, ended: { _ in ended() })
        guard channel.isActive else { return channelEnded() }
        channel.read()
    }

    func read() {
        channel.read()
    }

    /// Sends bytes, and reports when they have been written to the network.
    func write(_ bytes: ByteBuffer, then done: @escaping () -> Void) {
        channel.writeAndFlush(bytes).assumeIsolated().whenSuccess(done)
    }

    func close() {
        listener = nil
        channel.close(promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        listener?.received(unwrapInboundIn(data))
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        isInOrder = false
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        channelEnded()
        context.fireChannelInactive()
    }

    private func channelEnded() {
        let ended = listener?.ended
        listener = nil
        ended?(isInOrder)
    }
}
