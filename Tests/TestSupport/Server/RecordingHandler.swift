import NIOCore

/// Notes on a connection what comes in and how it ends.
final class RecordingHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let connection: ScriptedConnection

    init(connection: ScriptedConnection) {
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
        connection.noteEnd(byClient: !connection.isEndedByServer)
        context.fireChannelInactive()
    }
}
