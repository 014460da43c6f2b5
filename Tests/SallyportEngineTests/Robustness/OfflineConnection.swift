import Foundation
import HTTPTypes
import NIOCore
import NIOEmbedded
import SallyportTransport

@testable import SallyportEngine

/// Runs one exchange on a real connection whose channel is in memory: bytes go in, an outcome comes out.
enum OfflineConnection {
    struct Outcome {
        let status: Int
        let body: [UInt8]
        let fields: HTTPFields
    }

    /// - Parameters:
    ///   - pieces: What the server sends, one read each.
    ///   - closes: Whether it closes the connection after that.
    /// - Returns: The exchange; with `closes` it must have ended.
    static func run(_ method: HTTPRequest.Method = .get, _ pieces: [[UInt8]], closes: Bool = true) throws -> Exchange {
        let head = HTTPRequest(method: method, scheme: "http", authority: "server", path: "/")
        let exchange = Exchange(try OutgoingRequest(TransportRequest(head: head), acceptEncoding: nil))
        let channel = EmbeddedChannel()
        let connection = try install(on: channel, for: exchange)
        connection.run(exchange)
        for piece in pieces where channel.isActive {
            channel.pipeline.fireChannelRead(ByteBuffer(bytes: piece))
            channel.pipeline.fireChannelReadComplete()
        }
        if closes, channel.isActive { channel.close(promise: nil) }
        channel.embeddedEventLoop.run()
        return exchange
    }

    /// Connects a channel in memory, and makes a connection of it.
    static func install(on channel: EmbeddedChannel, for exchange: Exchange) throws -> HTTP1Connection {
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 80)).wait()
        return try HTTP1Connection.install(
            on: channel,
            origin: exchange.request.origin,
            owner: NoOwner(),
            watch: DeadlineWatch(eventLoop: channel.embeddedEventLoop),
            configuration: TransportConfiguration(),
            facts: ConnectionFacts()
        )
    }

    /// Reads the whole of an ended exchange.
    static func outcome(of exchange: Exchange) async throws(NetworkError) -> Outcome {
        let head = try await exchange.head()
        var body: [UInt8] = []
        while let chunk = try await exchange.read() { body += chunk.readableBytesView }
        return Outcome(status: head.response.status.code, body: body, fields: head.response.headerFields)
    }

    final class NoOwner: ConnectionOwner {
        func connectionIsFree(_ connection: any Connection) {}
        func connection(_ connection: any Connection, hasPlaces places: Int) {}
        func connectionRetired(_ connection: any Connection) {}
        func connectionMayClose(_ connection: any Connection) -> Bool { true }
        func connectionClosed(_ connection: any Connection) {}
        func startOver(_ exchange: Exchange, isDead: Bool) { exchange.fail(.connectionLost("started over")) }
    }
}
