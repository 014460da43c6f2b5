import NIOCore
import NIOSSL

/// One connection to a server that plays a script, and all that came in on it.
protocol RecordedConnection: Sendable {
    associatedtype Step: Sendable

    init(channel: any Channel)

    /// Plays a script, waits for the client to close, and closes.
    func play(_ script: [Step]) async

    /// Notes what the client has sent.
    func noteReceived(_ bytes: ByteBuffer)

    /// Notes that one side has closed or broken the connection.
    func noteEnd(byClient: Bool)

    /// Notes that both sides have.
    func noteOver()
}

/// Notes on a connection what comes in and how it ends.
final class RecordingHandler<Connection: RecordedConnection>: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let connection: Connection

    init(connection: Connection) {
        self.connection = connection
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        connection.noteReceived(unwrapInboundIn(data))
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let event = event as? ChannelEvent, event == .inputClosed { connection.noteEnd(byClient: true) }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        connection.noteEnd(byClient: true)
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        connection.noteOver()
        context.fireChannelInactive()
    }
}

extension Channel {
    /// Closes the connection without a close_notify alert of TLS.
    ///
    /// With an alert, NIOSSL waits up to five seconds for the client's, even if the client has closed the connection.
    func closeBeneathTLS() async throws {
        try await eventLoop.submit {
            guard let tls = try? self.pipeline.syncOperations.context(handlerType: NIOSSLServerHandler.self) else {
                return self.close(promise: nil)
            }
            tls.close(promise: nil)
        }.get()
    }
}
