#if os(Linux) || os(macOS)
import NIOCore
import NIOHTTP1
import NIOPosix
import Sallyport

/// The HTTP server of a ``LoopbackListener``. Its port and connections use one event loop.
final class LoopbackServer: Sendable {
    private struct State {
        var listener: (any Channel)?
        var expected: LoopbackRequest.Expected?
        /// The open connections, oldest first.
        var connections: [any Channel] = []
        /// The number of requests that were not the expected callback.
        var refusals = 0
        /// A Boolean value that indicates whether the expected callback was accepted or the server was closed.
        var isFinished = false
    }

    /// The maximum number of open connections. Browsers open some in advance. A new connection beyond it closes the oldest one.
    private static let maximumConnections = 32
    /// The maximum number of error pages. After that, the connections of refused requests are closed without a response, to
    /// limit the effect of a program that calls the port repeatedly.
    static let maximumErrorPages = 100

    let eventLoop: any EventLoop = MultiThreadedEventLoopGroup.singleton.next()
    /// The promise of the callback's URL.
    let callback: EventLoopPromise<String>
    private let state: NIOLoopBoundBox<State>

    init() {
        callback = eventLoop.makePromise(of: String.self)
        state = .makeBoxSendingValue(State(), eventLoop: eventLoop)
    }

    /// Binds the port without accepting connections yet.
    ///
    /// - Returns: The address and port, in the form of a URL's authority.
    func listen(port: Int) async throws -> String {
        let listener = try await ServerBootstrap(group: eventLoop)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelOption(.autoRead, value: false)
            .childChannelInitializer { channel in channel.eventLoop.makeCompletedFuture { try self.add(channel) } }
            .bind(host: "127.0.0.1", port: port).get()
        try await eventLoop.submit { self.state.value.listener = listener }.get()
        return "127.0.0.1:\(listener.localAddress?.port ?? port)"
    }

    /// Starts to accept connections.
    func accept(_ expected: LoopbackRequest.Expected) async throws {
        try await eventLoop.submit {
            self.state.value.expected = expected
            return self.state.value.listener?.setOption(.autoRead, value: true)
        }.get()?.get()
    }

    /// Closes the port and all connections.
    func close() async {
        callback.fail(NetworkError.clientClosed("the listener was closed"))
        let listener = try? await eventLoop.submit {
            self.end()
            return self.state.value.listener
        }.get()
        try? await listener?.closeFuture.get()
    }

    private func add(_ connection: any Channel) throws {
        guard !state.value.isFinished else { throw ChannelError.eof }
        if state.value.connections.count >= Self.maximumConnections {
            state.value.connections.first?.close(promise: nil)
        }
        state.value.connections.append(connection)
        connection.closeFuture.whenComplete { _ in self.state.value.connections.removeAll { $0 === connection } }
        try connection.pipeline.syncOperations.addHandlers([
            RequestSizeLimit(), HTTPResponseEncoder(), ByteToMessageHandler(HTTPRequestDecoder()),
            ConnectionHandler(self),
        ])
    }

    /// Returns the response to a request, or `nil` to close its connection without one. Only the first expected callback is
    /// accepted.
    private func response(to head: HTTPRequestHead) -> Response? {
        guard let expected = state.value.expected, !state.value.isFinished else { return errorPage(.notFound) }
        let response = LoopbackRequest(head).response(expected)
        guard response == .accepted else { return errorPage(response) }
        state.value.isFinished = true
        return response
    }

    /// Returns the error page for a request that is refused, or `nil` after ``maximumErrorPages`` of them.
    private func errorPage(_ response: Response) -> Response? {
        state.value.refusals += 1
        return state.value.refusals <= Self.maximumErrorPages ? response : nil
    }

    /// Fulfills the promise with the URL of the callback and closes the server. Called after the response has been sent.
    private func finish(with target: String) {
        if let expected = state.value.expected { callback.succeed("http://\(expected.authority)\(target)") }
        end()
    }

    private func end() {
        state.value.isFinished = true
        state.value.listener?.close(promise: nil)
        for connection in state.value.connections { connection.close(promise: nil) }
    }
}

extension LoopbackServer {
    /// Handles one connection: reads one request, sends one response, and closes the connection.
    private final class ConnectionHandler: ChannelInboundHandler {
        typealias InboundIn = HTTPServerRequestPart
        typealias OutboundOut = HTTPServerResponsePart

        private let server: LoopbackServer
        private var head: HTTPRequestHead?
        private var hasResponded = false

        init(_ server: LoopbackServer) {
            self.server = server
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch unwrapInboundIn(data) {
            case .head(let head): self.head = head
            case .body: break
            case .end:
                guard let head, !hasResponded else { return }
                send(server.response(to: head), target: head.uri, in: context)
            }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            guard !hasResponded, error is HTTPParserError || error is RequestSizeLimit.Exceeded else {
                context.close(promise: nil)
                return
            }
            send(server.errorPage(error is RequestSizeLimit.Exceeded ? .tooLarge : .malformed), target: "", in: context)
        }

        /// Sends a response, or closes the connection without one.
        ///
        /// The waiting task continues only after the response has been sent, because it may end the process.
        private func send(_ response: Response?, target: String, in context: ChannelHandlerContext) {
            hasResponded = true
            guard let response else { return context.close(promise: nil) }
            let head = HTTPResponseHead(version: .http1_1, status: response.status, headers: response.headers)
            context.write(wrapOutboundOut(.head(head)), promise: nil)
            if self.head?.method != .HEAD {
                context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: response.page)))), promise: nil)
            }
            let isSent = context.eventLoop.makePromise(of: Void.self)
            isSent.futureResult.whenComplete { [server, channel = context.channel] _ in
                channel.close(promise: nil)
                if response == .accepted { server.finish(with: target) }
            }
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: isSent)
        }
    }

    /// Limits the number of bytes that a connection may send. It sends one request, which needs no body.
    private final class RequestSizeLimit: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias InboundOut = ByteBuffer

        struct Exceeded: Error {}

        /// The maximum number of bytes. Some servers issue long codes, and browsers send the cookies of all other servers on
        /// 127.0.0.1.
        private static let limit = 64 * 1024

        private var received = 0

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            guard received <= Self.limit else { return }
            received += unwrapInboundIn(data).readableBytes
            if received > Self.limit {
                context.fireErrorCaught(Exceeded())
            } else {
                context.fireChannelRead(data)
            }
        }
    }
}
#endif
