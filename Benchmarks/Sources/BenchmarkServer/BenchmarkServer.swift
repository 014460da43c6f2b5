import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// A server with functions that nginx lacks: it discards the bodies of PUT, and holds GETs until the number in their path,
/// such as `/10000`, have arrived.
@main
enum BenchmarkServer {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 5, let port = Int(arguments[1]), let tlsPort = Int(arguments[2]) else {
            return print("usage: \(arguments[0]) PORT TLS_PORT CERTIFICATES KEY")
        }
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let held = NIOLoopBoundBox.makeBoxSendingValue([ChannelHandlerContext](), eventLoop: group.next())
        let tls = try context(certificates: arguments[3], key: arguments[4])
        _ = try await start(on: tlsPort, group: group) { channel in
            try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls))
            try answer(on: channel, held)
        }
        let server = try await start(on: port, group: group) { try answer(on: $0, held) }
        try await server.closeFuture.get()
    }

    private static func start(
        on port: Int,
        group: MultiThreadedEventLoopGroup,
        _ initializer: @escaping @Sendable (any Channel) throws -> Void
    ) async throws -> any Channel {
        try await ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 4096)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(
                .recvAllocator,
                value: AdaptiveRecvByteBufferAllocator(minimum: 64, initial: 2048, maximum: 1 << 20)
            )
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try initializer(channel) }
            }
            .bind(host: "127.0.0.1", port: port)
            .get()
    }

    private static func answer(on channel: any Channel, _ held: NIOLoopBoundBox<[ChannelHandlerContext]>) throws {
        try channel.pipeline.syncOperations.configureHTTPServerPipeline(
            withPipeliningAssistance: false,
            withErrorHandling: false
        )
        try channel.pipeline.syncOperations.addHandler(Answering(held))
    }

    private static func context(certificates: String, key: String) throws -> NIOSSLContext {
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: try NIOSSLCertificate.fromPEMFile(certificates).map { .certificate($0) },
            privateKey: .privateKey(try NIOSSLPrivateKey(file: key, format: .pem))
        )
        configuration.minimumTLSVersion = .tlsv13
        return try NIOSSLContext(configuration: configuration)
    }
}
