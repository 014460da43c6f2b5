import NIOConcurrencyHelpers
import NIOCore
import NIOHTTP2
import NIOPosix
import NIOSSL

/// Runs an HTTP/2 reverse proxy in front of an HTTP/1.1 server on 127.0.0.1, while a closure runs.
///
/// Each stream is an exchange on its own connection to the HTTP/1.1 server, or on a reusable one of an earlier stream of
/// the same HTTP/2 connection. The expectations of a ``ScriptedServer`` therefore apply through the front too: resetting a
/// stream closes its HTTP/1.1 connection, and a server that closes before it responds ends the HTTP/2 connection. An
/// incomplete or invalid response resets its stream.
///
/// - Parameters:
///   - port: The port of the HTTP/1.1 server.
///   - tls: The TLS settings, with h2 by ALPN, or `nil` for cleartext with prior knowledge.
///   - body: A closure that is called with the port of the front.
public func withHTTP2Front<Result: Sendable>(
    to port: Int,
    tls: ServerTLS?,
    _ body: @escaping @Sendable (Int) async throws -> Result
) async throws -> Result {
    let context = try tls.map { tls in
        var tls = tls
        tls.applicationProtocols = ["h2"]
        return try tls.makeContext()
    }
    let accepted = NIOLockedValueBox<[any Channel]>([])
    let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .serverChannelOption(.backlog, value: 1024)
        .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
        .childChannelOption(.socketOption(.tcp_nodelay), value: 1)
        .childChannelInitializer { channel in
            accepted.withLockedValue { $0.append(channel) }
            return channel.eventLoop.makeCompletedFuture {
                let operations = channel.pipeline.syncOperations
                if let tls, let context { try operations.addHandler(tls.handler(context)) }
                let front = FrontConnection(channel: channel, port: port)
                let bound = NIOLoopBound(front, eventLoop: channel.eventLoop)
                _ = try operations.configureHTTP2Pipeline(
                    mode: .server,
                    connectionConfiguration: lenient,
                    streamConfiguration: patient
                ) { stream in
                    stream.eventLoop.makeCompletedFuture {
                        try stream.syncOptions?.setOption(.autoRead, value: false)
                        try stream.pipeline.syncOperations.addHandler(FrontStream(of: bound.value))
                    }
                }
                try operations.addHandler(ClosesOnError())
                channel.closeFuture.whenComplete { _ in bound.value.closeIdle() }
            }
        }
        .bind(host: "127.0.0.1", port: 0).get()
    func end() async {
        try? await listener.close().get()
        for channel in accepted.withLockedValue({ $0 }) { try? await channel.close().get() }
    }
    do {
        let result = try await body(listener.localAddress?.port ?? 0)
        await end()
        return result
    } catch {
        await end()
        throw error
    }
}

/// Disables validation, so that the client receives invalid frames.
private let lenient: NIOHTTP2Handler.ConnectionConfiguration = {
    var configuration = NIOHTTP2Handler.ConnectionConfiguration()
    configuration.headerBlockValidation = .disabled
    configuration.contentLengthValidation = .disabled
    configuration.initialSettings = [
        HTTP2Setting(parameter: .maxConcurrentStreams, value: 100),
        HTTP2Setting(parameter: .maxHeaderListSize, value: 1 << 20),
    ]
    return configuration
}()

/// Allows many resets, as tests reset many streams within a short time.
private let patient: NIOHTTP2Handler.StreamConfiguration = {
    var configuration = NIOHTTP2Handler.StreamConfiguration()
    configuration.streamResetFrameRateLimit.maximumCount = 100_000
    return configuration
}()

private final class ClosesOnError: ChannelInboundHandler {
    typealias InboundIn = Any

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}
