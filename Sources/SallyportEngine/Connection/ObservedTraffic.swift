import NIOCore
import SallyportTransport

/// Tells an observer of a connection's life and bytes. It stands next to the network, and only where there is an
/// observer.
///
/// It tells once for each burst: writes up to a flush, reads up to the end of a read.
final class ObservedTraffic: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = IOData

    private let observer: any TransportObserver
    private let server: ServerOrigin
    private var unsent = 0
    private var received = 0
    private var isOpen = false

    private init(_ observer: any TransportObserver, _ server: ServerOrigin) {
        self.observer = observer
        self.server = server
    }

    /// Has a channel observed that is ready for exchanges. To be called on its event loop.
    static func install(on channel: any Channel, to origin: Origin, for observer: any TransportObserver) throws {
        let handler = ObservedTraffic(observer, ServerOrigin(origin))
        try channel.pipeline.syncOperations.addHandler(handler, position: .first)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        isOpen = true
        observer.connectionOpened(to: server)
    }

    func channelInactive(context: ChannelHandlerContext) {
        end()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        end()
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        unsent += unwrapOutboundIn(data).readableBytes
        context.write(data, promise: promise)
    }

    func flush(context: ChannelHandlerContext) {
        tellSent()
        context.flush()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        received += unwrapInboundIn(data).readableBytes
        context.fireChannelRead(data)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        tellReceived()
        context.fireChannelReadComplete()
    }

    private func tellSent() {
        guard unsent > 0 else { return }
        observer.sent(bytes: unsent, to: server)
        unsent = 0
    }

    private func tellReceived() {
        guard received > 0 else { return }
        observer.received(bytes: received, from: server)
        received = 0
    }

    private func end() {
        guard isOpen else { return }
        isOpen = false
        tellReceived()
        observer.connectionClosed(to: server)
    }
}
