import NIOCore
import NIOPosix

/// A server that plays a script on each connection.
protocol ScriptPlayingServer: Sendable {
    associatedtype Connection: RecordedConnection

    init(port: Int)

    /// Adds an accepted connection, and returns its index.
    func accept(_ connection: Connection) -> Int
}

extension ScriptPlayingServer {
    /// Runs a server on 127.0.0.1, on a port that the system chooses, while a closure runs.
    ///
    /// - Parameters:
    ///   - scripts: The scripts of the connections, in order. The last one applies to all further connections.
    ///   - tls: The TLS settings, or `nil` for plain text.
    ///   - socket: The path of a Unix domain socket to use instead of a port.
    ///   - body: Makes calls to the server. When it ends, every connection is closed.
    /// - Returns: The result of `body`.
    static func run<Result: Sendable>(
        _ scripts: [[Connection.Step]],
        tls: ServerTLS?,
        socket: String? = nil,
        _ body: @escaping @Sendable (Self) async throws -> Result
    ) async throws -> Result {
        let context = try tls?.makeContext()
        let (channels, newChannel) = AsyncStream.makeStream(of: Connection.self)
        let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 1024)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.socketOption(.tcp_nodelay), value: 1)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let connection = Connection(channel: channel)
                    if let tls, let context { try channel.pipeline.syncOperations.addHandler(tls.handler(context)) }
                    try channel.pipeline.syncOperations.addHandler(RecordingHandler(connection: connection))
                    newChannel.yield(connection)
                }
            }
        let listening =
            socket.map { bootstrap.bind(unixDomainSocketPath: $0) } ?? bootstrap.bind(host: "127.0.0.1", port: 0)
        let listener = try await listening.get()
        let server = Self(port: listener.localAddress?.port ?? 0)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                await withDiscardingTaskGroup { connections in
                    for await connection in channels {
                        let number = server.accept(connection)
                        let script = scripts.isEmpty ? [] : scripts[min(number, scripts.count - 1)]
                        connections.addTask { await connection.play(script) }
                    }
                }
            }
            defer {
                listener.close(promise: nil)
                newChannel.finish()
                group.cancelAll()
            }
            return try await body(server)
        }
    }
}
