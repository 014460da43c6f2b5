#if os(Linux) || os(macOS)
import NIOCore
import NIOHTTP1
import NIOPosix
import Sallyport

/// The port of a ``LoopbackListener`` and its connections, all on one event loop.
final class LoopbackReception: Sendable {
    private struct State {
        var server: (any Channel)?
        var expected: LoopbackRequest.Expected?
        /// The open connections, oldest first.
        var visitors: [any Channel] = []
        /// The number of requests that were refused.
        var refusals = 0
        var isOver = false
    }

    /// The maximum number of open connections; a browser opens some in advance. One more closes the oldest.
    private static let mostVisitors = 32
    /// The maximum number of error pages. Further requests that are refused have their connection closed without a reply,
    /// so that a program that keeps calling costs little and does not end the wait.
    static let mostErrorPages = 100

    let loop: any EventLoop = MultiThreadedEventLoopGroup.singleton.next()
    /// The URL of the callback.
    let answer: EventLoopPromise<String>
    private let state: NIOLoopBoundBox<State>

    init() {
        answer = loop.makePromise(of: String.self)
        state = .makeBoxSendingValue(State(), eventLoop: loop)
    }

    /// Binds the port without accepting connections yet.
    ///
    /// - Returns: The address and port, as they stand in a URL.
    func listen(port: Int) async throws -> String {
        let server = try await ServerBootstrap(group: loop)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelOption(.autoRead, value: false)
            .childChannelInitializer { visitor in visitor.eventLoop.makeCompletedFuture { try self.receive(visitor) } }
            .bind(host: "127.0.0.1", port: port).get()
        try await loop.submit { self.state.value.server = server }.get()
        return "127.0.0.1:\(server.localAddress?.port ?? port)"
    }

    /// Starts to accept connections.
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

    /// Returns the reply to a request; `nil` closes its connection without one. Only the first expected callback is accepted.
    func reply(to head: HTTPRequestHead) -> LoopbackReply? {
        guard let expected = state.value.expected, !state.value.isOver else { return refusal(.notFound) }
        let reply = LoopbackRequest(head).reply(expected)
        guard reply == .accepted else { return refusal(reply) }
        state.value.isOver = true
        return reply
    }

    /// Returns the error page for a request that is refused, or `nil` after ``mostErrorPages`` of them.
    func refusal(_ reply: LoopbackReply) -> LoopbackReply? {
        state.value.refusals += 1
        return state.value.refusals <= Self.mostErrorPages ? reply : nil
    }

    /// Ends the wait with a callback whose reply has been sent.
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
