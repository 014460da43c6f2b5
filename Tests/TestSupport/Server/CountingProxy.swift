import NIOCore
import NIOPosix

/// A proxy that forwards connections to a server, and counts the bytes that the server sends.
public final class CountingProxy: Sendable {
    /// The port on 127.0.0.1 that the proxy listens on.
    public let port: Int
    private let listener: any Channel

    fileprivate init(port: Int, listener: any Channel) {
        self.port = port
        self.listener = listener
    }

    /// Refuses further connections. Those that are open continue.
    public func stopListening() async throws {
        try await listener.close().get()
    }
}

/// Runs a proxy on a port of 127.0.0.1 while a closure runs.
///
/// - Parameters:
///   - port: The port of the server on 127.0.0.1.
///   - count: Called with the number of bytes whenever some have been written to a client's socket.
///   - body: Makes calls to the proxy.
public func withCountingProxy<Result>(
    toPort port: Int,
    count: @escaping @Sendable (Int) -> Void,
    _ body: (CountingProxy) async throws -> Result
) async throws -> Result {
    let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
        .childChannelOption(.autoRead, value: false)
        .childChannelInitializer { client in
            ClientBootstrap(group: client.eventLoop)
                .channelOption(.autoRead, value: false)
                .connect(host: "127.0.0.1", port: port)
                .flatMapThrowing { server in
                    try client.pipeline.syncOperations.addHandler(Passage(to: server))
                    try server.pipeline.syncOperations.addHandler(Passage(to: client, count: count))
                }
        }
        .bind(host: "127.0.0.1", port: 0).get()
    defer { listener.close(promise: nil) }
    return try await body(CountingProxy(port: listener.localAddress?.port ?? 0, listener: listener))
}
