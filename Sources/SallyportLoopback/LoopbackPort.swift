import NIOCore
import NIOHTTP1
import NIOPosix
import Sallyport

/// An HTTP server on a port of 127.0.0.1 that answers one request on each connection. Its port and connections use one event loop.
final class LoopbackPort: Sendable {
    /// A request, or the reason why there is none.
    enum Received: Sendable {
        case request(HTTPRequestHead)
        case malformed
        case tooLarge
    }

    /// A response.
    struct Answer: Sendable {
        var status: HTTPResponseStatus
        /// The header fields. `Content-Length` and `Connection` are added.
        var headers: HTTPHeaders
        var body: ByteBuffer
        /// A closure that is called on the event loop after the response has been sent.
        var afterSending: (@Sendable () -> Void)?
    }

    /// Returns the response to a request, or `nil` to close its connection without one. It is called on the event loop.
    typealias Responder = @Sendable (Received) -> EventLoopFuture<Answer?>

    private struct State {
        var listener: (any Channel)?
        /// The open connections, oldest first.
        var connections: [any Channel] = []
        var isClosed = false
    }

    /// The maximum number of open connections. Browsers open some in advance. A new connection beyond it closes the oldest one.
    private static let maximumConnections = 32

    /// The maximum time from the opening of a connection until its request is complete.
    static let requestLimit = TimeAmount.seconds(10)

    let eventLoop: any EventLoop = MultiThreadedEventLoopGroup.singleton.next()
    private let state: NIOLoopBoundBox<State>

    init() {
        state = .makeBoxSendingValue(State(), eventLoop: eventLoop)
    }

    /// Binds the port without accepting connections yet.
    ///
    /// - Returns: The address and port, in the form of a URL's authority.
    func listen(on port: Int, _ respond: @escaping Responder) async throws -> String {
        let listener = try await ServerBootstrap(group: eventLoop)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelOption(.autoRead, value: false)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try self.add(channel, respond) }
            }
            .bind(host: "127.0.0.1", port: port).get()
        try await eventLoop.submit { self.state.value.listener = listener }.get()
        return "127.0.0.1:\(listener.localAddress?.port ?? port)"
    }

    /// Starts to accept connections.
    func accept() async throws {
        try await eventLoop.submit { self.state.value.listener?.setOption(.autoRead, value: true) }.get()?.get()
    }

    /// Closes the port and all connections, and waits until the port is closed.
    func close() async {
        let listener = try? await eventLoop.submit {
            self.end()
            return self.state.value.listener
        }.get()
        try? await listener?.closeFuture.get()
    }

    /// Closes the port and all connections. It must be called on the event loop.
    func end() {
        state.value.isClosed = true
        state.value.listener?.close(promise: nil)
        for connection in state.value.connections { connection.close(promise: nil) }
    }

    private func add(_ connection: any Channel, _ respond: @escaping Responder) throws {
        guard !state.value.isClosed else { throw ChannelError.eof }
        if state.value.connections.count >= Self.maximumConnections {
            state.value.connections.first?.close(promise: nil)
        }
        state.value.connections.append(connection)
        connection.closeFuture.whenComplete { _ in self.state.value.connections.removeAll { $0 === connection } }
        try Self.addHandlers(to: connection, respond)
    }

    /// Adds the handlers that read one request and send its response.
    static func addHandlers(to connection: any Channel, _ respond: @escaping Responder) throws {
        try connection.pipeline.syncOperations.addHandlers([
            RequestSizeLimit(), HTTPResponseEncoder(), ByteToMessageHandler(HTTPRequestDecoder()),
            ConnectionHandler(respond),
        ])
    }
}

/// Handles one connection: reads one request, sends one response, and closes the connection. It is also closed if the request is not
/// complete within ``LoopbackPort/requestLimit``.
private final class ConnectionHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let respond: LoopbackPort.Responder
    private var head: HTTPRequestHead?
    private var hasResponded = false
    private var deadline: Scheduled<Void>?

    init(_ respond: @escaping LoopbackPort.Responder) {
        self.respond = respond
    }

    func handlerAdded(context: ChannelHandlerContext) {
        let channel = context.channel
        deadline = context.eventLoop.scheduleTask(in: LoopbackPort.requestLimit) { channel.close(promise: nil) }
    }

    func handlerRemoved(context: ChannelHandlerContext) { deadline?.cancel() }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): self.head = head
        case .body: break
        case .end: if let head { answer(.request(head), in: context) }
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch error {
        case is RequestSizeLimit.Exceeded: answer(.tooLarge, in: context)
        case is HTTPParserError: answer(.malformed, in: context)
        default: context.close(promise: nil)
        }
    }

    /// Sends a response, or closes the connection without one. Only the first request is answered.
    private func answer(_ received: LoopbackPort.Received, in context: ChannelHandlerContext) {
        if hasResponded { return }
        hasResponded = true
        deadline?.cancel()
        let isHead = head?.method == .HEAD
        let channel = context.channel
        respond(received).whenComplete { result in
            guard let answer = try? result.get() else { return channel.close(promise: nil) }
            var headers = answer.headers
            headers.replaceOrAdd(name: "Content-Length", value: "\(answer.body.readableBytes)")
            headers.replaceOrAdd(name: "Connection", value: "close")
            let head = HTTPResponseHead(version: .http1_1, status: answer.status, headers: headers)
            channel.write(HTTPServerResponsePart.head(head), promise: nil)
            if !isHead { channel.write(HTTPServerResponsePart.body(.byteBuffer(answer.body)), promise: nil) }
            // The waiting task continues only after the response has been sent, because it may end the process.
            channel.writeAndFlush(HTTPServerResponsePart.end(nil)).whenComplete { _ in
                channel.close(promise: nil)
                answer.afterSending?()
            }
        }
    }
}

/// Limits the number of bytes that a connection may send. It sends one request, which needs no body.
private final class RequestSizeLimit: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    struct Exceeded: Error {}

    /// The maximum number of bytes. Some servers issue long codes, and browsers send the cookies of all other servers on 127.0.0.1.
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

extension NetworkError {
    /// Returns the error for a port of 127.0.0.1 that cannot be used.
    ///
    /// - Parameters:
    ///   - port: The port; 0 if any port would do.
    ///   - purpose: The part of the message about the attempt, such as "cannot wait for the browser".
    ///   - error: The error of the socket.
    static func loopbackPort(_ port: Int, purpose: String, _ error: any Error) -> NetworkError {
        let reason = (error as? IOError).map { NetworkFailure.reason(socketError: $0.errnoCode) } ?? "\(error)"
        return .networkError(
            NetworkFailure(
                "\(purpose) on 127.0.0.1\(port == 0 ? "" : ", port \(port)"): \(reason)",
                advice: port == 0 ? nil : "stop the program that uses the port, or choose another port",
                underlying: error
            )
        )
    }
}
