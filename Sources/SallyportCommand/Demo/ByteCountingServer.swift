import NIOCore
import NIOPosix
import NIOSSL
import SallyportGateway
import SallyportStorage

/// A TLS server that counts the decrypted bytes of the requests that it receives, and answers with status 204.
struct ByteCountingServer: Sendable {
    /// The base URL.
    let baseURL: String
    private let received: Locked<Int>

    /// The number of decrypted bytes so far, of all connections.
    var receivedBytes: Int { received.withLock { $0 } }

    /// Runs a server while a closure runs.
    ///
    /// - Parameters:
    ///   - authority: The authority that issues its certificate.
    ///   - body: A closure that is called with the server.
    static func withRunning<Result>(
        _ authority: DevelopmentAuthority,
        _ body: (ByteCountingServer) async throws -> Result
    ) async throws -> Result {
        let certificate = try authority.issue()
        let chain = try NIOSSLCertificate.fromPEMBytes(Array(certificate.chainPEM.utf8))
        let key = try NIOSSLPrivateKey(bytes: Array(certificate.privateKeyPEM.utf8), format: .pem)
        let context = try NIOSSLContext(
            configuration: .makeServerConfiguration(
                certificateChain: chain.map { .certificate($0) },
                privateKey: .privateKey(key)
            )
        )
        let received = Locked(0)
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
                    try channel.pipeline.syncOperations.addHandler(ByteCounter(received))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        defer { listener.close(promise: nil) }
        let port = listener.localAddress?.port ?? 0
        return try await body(ByteCountingServer(baseURL: "https://127.0.0.1:\(port)", received: received))
    }
}

/// Counts the bytes of a connection, and answers the first of them.
private final class ByteCounter: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let received: Locked<Int>
    private var hasResponded = false

    init(_ received: Locked<Int>) {
        self.received = received
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let count = unwrapInboundIn(data).readableBytes
        received.withLock { $0 += count }
        if hasResponded { return }
        hasResponded = true
        let response = ByteBuffer(string: "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")
        context.writeAndFlush(wrapOutboundOut(response), promise: nil)
        context.close(promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}
