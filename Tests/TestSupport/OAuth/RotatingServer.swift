import Foundation
import NIOCore
import NIOPosix

/// A small authorization server with an API: `POST /token` refreshes tokens, `GET /me` requires an access token.
public final class RotatingServer: Sendable {
    /// The tokens of the server.
    public let book = Watched(TokenBook())
    /// The delay of the response to a granted refresh.
    public let pause: TimeAmount
    /// The signal that refreshes wait for before they are granted.
    public let gate = Watched<Signal?>(nil)
    /// The refreshes that have been received, granted or not.
    public let asked = Watched(0)
    /// Complete responses to refreshes, used instead of the server's own. An empty one resets the connection.
    public let answers = Watched<[String]>([])
    /// The connections that neither side has closed.
    public let open = Watched(0)
    /// The port on 127.0.0.1.
    public let port: Int

    private init(port: Int, pause: TimeAmount) {
        self.port = port
        self.pause = pause
    }

    /// The URL for refreshes.
    public var tokenUrl: String { "http://127.0.0.1:\(port)/token" }
    /// The URL that requires an access token.
    public var apiUrl: String { "http://127.0.0.1:\(port)/me" }

    /// Runs a server while a closure runs.
    public static func run<Result: Sendable>(
        pause: TimeAmount = .zero,
        _ body: @escaping @Sendable (RotatingServer) async throws -> Result
    ) async throws -> Result {
        let found = Watched<RotatingServer?>(nil)
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 1024)
            .childChannelOption(.socketOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    guard let server = found.value else { throw ChannelError.ioOnClosedChannel }
                    try channel.pipeline.syncOperations.addHandler(RotatingServerHandler(server))
                }
            }
            .serverChannelOption(.autoRead, value: false)
            .bind(host: "127.0.0.1", port: 0).get()
        let server = RotatingServer(port: listener.localAddress?.port ?? 0, pause: pause)
        found.update { $0 = server }
        try await listener.setOption(.autoRead, value: true).get()
        do {
            let result = try await body(server)
            try await listener.close()
            return result
        } catch {
            try await listener.close()
            throw error
        }
    }

    /// Responds to a refresh, at once or when the gate opens.
    func grant(_ form: String) async -> (response: String, isDelayed: Bool) {
        asked.update { $0 += 1 }
        if let gate = gate.value { try? await gate.wait() }
        let canned = answers.update { $0.isEmpty ? nil : $0.removeFirst() }
        if let canned { return (canned, false) }
        let token = form.split(separator: "&").first { $0.hasPrefix("refresh_token=") }?.dropFirst(14)
        guard let grant = book.update({ $0.refresh(String(token ?? "")) }) else {
            return (Self.response(400, #"{"error":"invalid_grant"}"#), false)
        }
        let json =
            #"{"access_token":"\#(grant.accessToken)","refresh_token":"\#(grant.refreshToken)","#
            + #""token_type":"Bearer","expires_in":3600}"#
        return (Self.response(200, json), true)
    }

    func call(_ request: ReceivedRequest) -> String {
        let token = request["Authorization"].first?.dropFirst("Bearer ".count)
        return book.update { $0.call(String(token ?? "")) } ? Self.response(200, "hello") : Self.response(401, "who?")
    }

    /// Returns a complete response.
    public static func response(_ status: Int, _ body: String) -> String {
        "HTTP/1.1 \(status) Said\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }
}

/// A connection to the server.
private final class RotatingServerHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let server: RotatingServer
    private var received: [UInt8] = []

    init(_ server: RotatingServer) { self.server = server }

    func channelActive(context: ChannelHandlerContext) { server.open.update { $0 += 1 } }

    func channelInactive(context: ChannelHandlerContext) { server.open.update { $0 -= 1 } }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        received += unwrapInboundIn(data).readableBytesView
        while let request = ReceivedRequest.first(in: received[...]), let end = request.end {
            received.removeFirst(end)
            let channel = context.channel
            if request.target != "/token" {
                channel.writeAndFlush(ByteBuffer(string: server.call(request)), promise: nil)
                continue
            }
            let server = server
            // Ends when the gate opens, or at once. The server outlives its connections.
            Task {
                let (response, isDelayed) = await server.grant(request.bodyText)
                if response.isEmpty { return channel.close(promise: nil) }
                _ = channel.eventLoop.scheduleTask(in: isDelayed ? server.pause : .zero) {
                    channel.writeAndFlush(ByteBuffer(string: response), promise: nil)
                }
            }
        }
    }
}
