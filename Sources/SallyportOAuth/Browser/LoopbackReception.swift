#if os(Linux) || os(macOS)
import NIOCore
import NIOHTTP1
import NIOPosix
import Sallyport

/// The port of a ``LoopbackListener``, and those who come to it, all on one event loop.
final class LoopbackReception: Sendable {
    private struct State {
        var server: (any Channel)?
        var expected: LoopbackRequest.Expected?
        /// Those who are connected, the longest first.
        var visitors: [any Channel] = []
        var isOver = false
    }

    /// How many connections are held at a time; a browser opens some ahead of need. The next one ends the oldest.
    private static let mostVisitors = 32

    let loop: any EventLoop = MultiThreadedEventLoopGroup.singleton.next()
    /// The URL that the browser came back with.
    let answer: EventLoopPromise<String>
    private let state: NIOLoopBoundBox<State>

    init() {
        answer = loop.makePromise(of: String.self)
        state = .makeBoxSendingValue(State(), eventLoop: loop)
    }

    /// Binds the port, and accepts nobody yet.
    ///
    /// - Returns: The address and port, as a browser names them.
    func listen(port: Int) async throws -> String {
        let server = try await ServerBootstrap(group: loop)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelOption(.autoRead, value: false)
            .childChannelInitializer { visitor in visitor.eventLoop.makeCompletedFuture { try self.receive(visitor) } }
            .bind(host: "127.0.0.1", port: port).get()
        try await loop.submit { self.state.value.server = server }.get()
        return "127.0.0.1:\(server.localAddress?.port ?? port)"
    }

    /// From now on, visitors are answered.
    func admit(_ expected: LoopbackRequest.Expected) async throws {
        try await loop.submit {
            self.state.value.expected = expected
            return self.state.value.server?.setOption(.autoRead, value: true)
        }.get()?.get()
    }

    /// Closes the port and all connections.
    func close() async {
        answer.fail(NetworkError.clientClosed("nobody waits for the browser any more"))
        let server = try? await loop.submit {
            self.end()
            return self.state.value.server
        }.get()
        try? await server?.closeFuture.get()
    }

    private func receive(_ visitor: any Channel) throws {
        guard !state.value.isOver else { throw ChannelError.eof }
        if state.value.visitors.count >= Self.mostVisitors { state.value.visitors.first?.close(promise: nil) }
        state.value.visitors.append(visitor)
        visitor.closeFuture.whenComplete { _ in self.state.value.visitors.removeAll { $0 === visitor } }
        try visitor.pipeline.syncOperations.addHandlers([
            HeadSizeLimit(), HTTPResponseEncoder(), ByteToMessageHandler(HTTPRequestDecoder()), LoopbackVisit(self),
        ])
    }

    /// Decides what a request is. The first that is waited for is the last that is answered so.
    func judge(_ head: HTTPRequestHead) -> LoopbackReply {
        guard let expected = state.value.expected, !state.value.isOver else { return .notFound }
        let reply = LoopbackRequest(head).reply(expected)
        state.value.isOver = reply == .accepted
        return reply
    }

    /// The answer has been taken, and the person told so.
    func finish(with target: String) {
        if let expected = state.value.expected { answer.succeed("http://\(expected.authority)\(target)") }
        end()
    }

    private func end() {
        state.value.isOver = true
        state.value.server?.close(promise: nil)
        for visitor in state.value.visitors { visitor.close(promise: nil) }
    }
}
#endif
