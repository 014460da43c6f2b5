import NIOCore
import NIOPosix

/// A client that sends exact bytes to a loopback port.
enum Visitor {
    /// Sends bytes on a new connection, and returns all received bytes when the server closes it.
    static func send(_ text: String, to port: Int) async throws -> String {
        try await withConnection(to: port) { inbound, outbound in
            try await outbound.write(ByteBuffer(string: text))
            return try await everything(inbound)
        }
    }

    /// Sends a GET request for a URL of 127.0.0.1, as a browser does after a redirect.
    static func get(_ url: String) async throws -> String {
        let rest = url.dropFirst("http://".count)
        let authority = rest.prefix { $0 != "/" }
        let port = Int(authority.drop { $0 != ":" }.dropFirst()) ?? 0
        return try await send("GET \(rest.dropFirst(authority.count)) HTTP/1.1\r\nHost: \(authority)\r\n\r\n", to: port)
    }

    static func everything(_ inbound: NIOAsyncChannelInboundStream<ByteBuffer>) async throws -> String {
        var answer = ""
        for try await buffer in inbound { answer += String(buffer: buffer) }
        return answer
    }

    static func withConnection<Value: Sendable>(
        to port: Int,
        _ body: (NIOAsyncChannelInboundStream<ByteBuffer>, NIOAsyncChannelOutboundWriter<ByteBuffer>) async throws ->
            Value
    ) async throws -> Value {
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        return try await channel.executeThenClose(body)
    }
}
