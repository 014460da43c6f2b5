import NIOCore
import NIOPosix
import Sallyport
import SallyportStorage
import TestSupport

/// The point at which a proxy breaks a connection on both sides.
struct Cut: Sendable {
    /// The number of bytes from the client that are forwarded before the server's first response; all if `nil`.
    var sent: Int?
    /// The number of bytes from the server that are forwarded; all if `nil`. With 0, the proxy does not wait for a
    /// response.
    var received: Int?

    /// The connection is not broken.
    static let none = Cut()
}

/// A proxy that breaks each connection at a given point.
final class CuttingProxy: Sendable {
    private let cuts: Locked<[Cut]>
    private let target = Locked(0)
    private let sent = Watched(0)
    private let connections = Watched(0)
    let port: Int

    fileprivate init(port: Int, cuts: Locked<[Cut]>) {
        self.port = port
        self.cuts = cuts
    }

    /// The address of the server.
    func lead(toPort port: Int) { target.withLock { $0 = port } }

    /// The number of bytes from the client that were forwarded.
    var sentCount: Int { sent.value }

    /// Waits until a number of bytes from the client were forwarded.
    func waitForSent(_ count: Int) async throws {
        try await sent.wait("\(count) bytes to pass") { $0 >= count }
    }

    /// The number of connections so far.
    var connectionCount: Int { connections.value }

    fileprivate var targetPort: Int { target.withLock { $0 } }

    fileprivate func nextCut() -> Cut {
        connections.update { $0 += 1 }
        return cuts.withLock { $0.isEmpty ? .none : $0.removeFirst() }
    }

    fileprivate func count(_ bytes: Int) { sent.update { $0 += bytes } }
}

/// Runs a proxy on a port of 127.0.0.1 that breaks its first connections at the given points, and no later one.
func withCuttingProxy<Result>(
    _ cuts: [Cut],
    _ body: (CuttingProxy) async throws -> Result
) async throws -> Result {
    let proxy = Locked<CuttingProxy?>(nil)
    let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
        .childChannelOption(.autoRead, value: false)
        .childChannelInitializer { client in
            guard let proxy = proxy.withLock({ $0 }) else { return client.close() }
            let cut = proxy.nextCut()
            return ClientBootstrap(group: client.eventLoop)
                .channelOption(.autoRead, value: false)
                .connect(host: "127.0.0.1", port: proxy.targetPort)
                .flatMapThrowing { server in
                    let answered = client.eventLoop.makePromise(of: Void.self)
                    client.closeFuture.cascade(to: answered)
                    if cut.received == 0 { answered.succeed() }
                    let way = Passage(to: server, limit: cut.sent, until: answered.futureResult) { proxy.count($0) }
                    let wayBack = Passage(to: client, limit: cut.received, until: answered.futureResult) { _ in
                        answered.succeed()
                    }
                    try client.pipeline.syncOperations.addHandler(way)
                    try server.pipeline.syncOperations.addHandler(wayBack)
                }
        }
        .bind(host: "127.0.0.1", port: 0).get()
    defer { listener.close(promise: nil) }
    let made = CuttingProxy(port: listener.localAddress?.port ?? 0, cuts: Locked(cuts))
    proxy.withLock { $0 = made }
    return try await body(made)
}
