import NIOCore
import NIOPosix

/// Sends exact bytes to a loopback port, and returns all received bytes when the server closes the connection.
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

/// Runs a closure with a plain connection.
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
