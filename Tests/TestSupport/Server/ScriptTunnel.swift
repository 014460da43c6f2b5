import NIOCore
import NIOPosix

extension ScriptedConnection {
    /// Opens a connection to a server, and forwards all bytes that the script has not consumed.
    func openTunnel(toPort port: Int) async throws {
        let channel = channel
        let end = try await ClientBootstrap(group: channel.eventLoop)
            .channelInitializer { end in
                end.eventLoop.makeCompletedFuture {
                    try end.pipeline.syncOperations.addHandler(TunnelBack(client: channel))
                }
            }
            .connect(host: "127.0.0.1", port: port).get()
        channel.closeFuture.whenComplete { _ in end.close(promise: nil) }
        // Runs on the event loop, so that no input arrives in between.
        try await channel.eventLoop.submit { [state] in
            let unread = state.update { state in
                state.tunnelEnd = end
                return state.received[state.cursor...]
            }
            end.writeAndFlush(ByteBuffer(bytes: unread), promise: nil)
        }.get()
    }
}

/// Forwards the bytes of a server to the client of a tunnel.
private final class TunnelBack: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let client: any Channel

    init(client: any Channel) {
        self.client = client
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        client.writeAndFlush(unwrapInboundIn(data), promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        client.close(promise: nil)
        context.fireChannelInactive()
    }
}
