import NIOCore
import SallyportTransport

/// Reports the opening, closing and traffic of a connection to an observer. It is the first handler of the pipeline,
/// and only present if there is an observer.
///
/// Traffic is reported once for each burst: the writes up to a flush, and the reads up to the end of a read cycle.
final class TrafficObserverHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = IOData

    private let observer: any TransportObserver
    private let server: ServerOrigin
    private var unsent = 0
    private var received = 0
    /// The time at which the connection was ready; `nil` if it is not open.
    private var opened: NIODeadline?

    private init(_ observer: any TransportObserver, _ server: ServerOrigin) {
        self.observer = observer
        self.server = server
    }

    /// Adds the handler to a channel that is ready for exchanges. Must be called on the channel's event loop.
    static func install(on channel: any Channel, to origin: Origin, for observer: any TransportObserver) throws {
        let handler = TrafficObserverHandler(observer, ServerOrigin(origin))
        try channel.pipeline.syncOperations.addHandler(handler, position: .first)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        opened = .now()
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
        reportSent()
        context.flush()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        received += unwrapInboundIn(data).readableBytes
        context.fireChannelRead(data)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        reportReceived()
        context.fireChannelReadComplete()
    }

    private func reportSent() {
        guard unsent > 0 else { return }
        observer.sent(bytes: unsent, to: server)
        unsent = 0
    }

    private func reportReceived() {
        guard received > 0 else { return }
        observer.received(bytes: received, from: server)
        received = 0
    }

    private func end() {
        guard let opened else { return }
        self.opened = nil
        reportReceived()
        observer.connectionClosed(to: server, after: .since(opened))
    }
}
