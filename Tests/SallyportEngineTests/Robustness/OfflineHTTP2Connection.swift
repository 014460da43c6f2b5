import HTTPTypes
import NIOCore
import NIOEmbedded
import SallyportTransport

@testable import SallyportEngine

/// Runs exchanges on an HTTP/2 connection whose channel is in memory.
enum OfflineHTTP2Connection {
    /// - Parameters:
    ///   - methods: The methods of the exchanges, which run on the streams 1, 3 and so on.
    ///   - pieces: The bytes that the server sends, one read each.
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

    /// Creates a connection on a channel in memory, and begins an exchange for each method.
    static func begin(_ methods: [HTTPRequest.Method], on channel: EmbeddedChannel) throws -> [Exchange] {
        let exchanges = try methods.map { method in
            let head = HTTPRequest(method: method, scheme: "http", authority: "server", path: "/")
            return Exchange(try OutgoingRequest(TransportRequest(head: head), acceptEncoding: nil))
        }
        let connection = try OfflineConnection.connect(channel, for: exchanges[0], speaking: .http2)
        for exchange in exchanges { connection.run(exchange) }
        return exchanges
    }
}
