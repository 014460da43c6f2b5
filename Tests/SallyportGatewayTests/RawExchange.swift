import NIOCore
import NIOPosix

/// Sends exact bytes to a port of this machine, and returns all that comes back until the server closes.
func exchange(port: Int, _ text: String) async throws -> String {
    try await withConnection(port: port) { inbound, outbound in
        try await outbound.write(ByteBuffer(string: text))
        var answer = ""
        for try await buffer in inbound {
            answer += String(buffer: buffer)
        }
        return answer
    }
}

/// Opens a plain connection for the time of a closure.
func withConnection<Value: Sendable>(
    port: Int,
    _ body: (NIOAsyncChannelInboundStream<ByteBuffer>, NIOAsyncChannelOutboundWriter<ByteBuffer>) async throws -> Value
) async throws -> Value {
    let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .connect(host: "127.0.0.1", port: port) { channel in
            channel.eventLoop.makeCompletedFuture {
                try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
            }
        }
    return try await channel.executeThenClose(body)
}
