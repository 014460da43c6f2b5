import HTTPTypes
import NIOCore
import NIOEmbedded
import SallyportTransport

@testable import SallyportEngine

/// Runs exchanges on a real HTTP/2 connection whose channel is in memory: frames go in, outcomes come out.
enum OfflineHTTP2Connection {
    /// - Parameters:
    ///   - methods: Those of the exchanges, on the streams 1, 3 and so on.
    ///   - pieces: What the server sends, one read each.
    /// - Returns: The exchanges. The connection has been closed, so that each must have ended.
    static func run(_ methods: [HTTPRequest.Method] = [.get, .get], _ pieces: [[UInt8]]) throws -> [Exchange] {
        let channel = EmbeddedChannel()
        let exchanges = try begin(methods, on: channel)
        for piece in pieces where channel.isActive {
            channel.pipeline.fireChannelRead(ByteBuffer(bytes: piece))
            channel.pipeline.fireChannelReadComplete()
        }
        if channel.isActive { channel.close(promise: nil) }
        channel.embeddedEventLoop.run()
        return exchanges
    }
    /// Makes a connection of a channel in memory, and begins an exchange on it for each method.
    static func begin(_ methods: [HTTPRequest.Method], on channel: EmbeddedChannel) throws -> [Exchange] {
        let exchanges = try methods.map { method in
            let head = HTTPRequest(method: method, scheme: "http", authority: "server", path: "/")
            return Exchange(try OutgoingRequest(TransportRequest(head: head), acceptEncoding: nil))
        }
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 80)).wait()
        let connection = try HTTP2Connection.install(
            on: channel,
            origin: exchanges[0].request.origin,
            owner: OfflineConnection.NoOwner(),
            watch: DeadlineWatch(eventLoop: channel.embeddedEventLoop),
            configuration: TransportConfiguration(),
            facts: ConnectionFacts()
        )
        for exchange in exchanges { connection.run(exchange) }
        return exchanges
    }
}
