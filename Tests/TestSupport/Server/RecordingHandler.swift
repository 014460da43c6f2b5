import NIOCore
import NIOSSL

/// A connection to a server that plays a script, with the received input.
protocol RecordedConnection: Sendable {
    associatedtype Step: Sendable

    init(channel: any Channel)

    /// Plays a script, waits for the client to close, and closes.
    func play(_ script: [Step]) async

    /// Records input from the client.
    func noteReceived(_ bytes: ByteBuffer)

    /// Records that one side has closed or reset the connection.
    func noteEnd(byClient: Bool)

    /// Records that both sides have closed or reset the connection.
    func noteOver()
}

/// Records the input of a connection, and its end.
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
