import Foundation
import HTTPTypes
import NIOCore
import NIOEmbedded
import SallyportTransport

@testable import SallyportEngine

/// Runs an exchange on an HTTP/1.1 connection whose channel is in memory.
enum OfflineConnection {
    struct Outcome {
        let status: Int
        let body: [UInt8]
        let fields: HTTPFields
    }

    /// - Parameters:
    ///   - pieces: The bytes that the server sends, one read each.
    ///   - closes: Indicates that the server then closes the connection.
    /// - Returns: The exchange. It must have ended if `closes` is `true`.
    static func run(_ method: HTTPRequest.Method = .get, _ pieces: [[UInt8]], closes: Bool = true) throws -> Exchange {
        let head = HTTPRequest(method: method, scheme: "http", authority: "server", path: "/")
        let exchange = Exchange(try OutgoingRequest(TransportRequest(head: head), acceptEncoding: nil))
        let channel = EmbeddedChannel()
        let connection = try connect(channel, for: exchange)
        connection.run(exchange)
        for piece in pieces where channel.isActive {
            channel.pipeline.fireChannelRead(ByteBuffer(bytes: piece))
            channel.pipeline.fireChannelReadComplete()
        }
        if closes, channel.isActive { channel.close(promise: nil) }
        channel.embeddedEventLoop.run()
        return exchange
    }

    /// Connects a channel in memory, and creates a connection on it.
    static func connect(
        _ channel: EmbeddedChannel,
        for exchange: Exchange,
        speaking wire: WireProtocol = .http1
    ) throws -> any Connection {
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 80)).wait()
        let setup = ConnectionSetup(
            channel: channel,
            origin: exchange.request.origin,
            owner: NoOwner(),
            watch: DeadlineWatch(eventLoop: channel.embeddedEventLoop),
            delivery: ResponseDelivery(eventLoop: channel.embeddedEventLoop),
            configuration: TransportConfiguration()
        )
        return try wire.makeConnection(setup)
    }

    /// Reads the complete response of an ended exchange.
    static func outcome(of exchange: Exchange) async throws(NetworkError) -> Outcome {
        await exchange.waitForHead()
        let head = try exchange.head()
        var body: [UInt8] = []
        while let chunk = try await exchange.read() { body += chunk.readableBytesView }
        return Outcome(status: head.response.status.code, body: body, fields: head.response.headerFields)
    }

    final class NoOwner: ConnectionOwner {
        func connectionIsFree(_ connection: any Connection) {}
        func connection(_ connection: any Connection, changedCapacityTo capacity: Int) {}
        func connectionRetired(_ connection: any Connection) {}
        func connectionRequiresHTTP1(_ connection: any Connection) -> Bool { false }
        func connectionMayClose(_ connection: any Connection) -> Bool { true }
        func connectionClosed(_ connection: any Connection) {}
        func startOver(_ exchange: Exchange, isDead: Bool) { exchange.fail(.connectionLost("started over")) }
    }
}

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
