import HTTPTypes
import NIOCore
import SallyportTransport

/// An HTTP/1.1 connection: one exchange at a time (RFC 9112).
///
/// It is the last handler of its channel's pipeline. All state belongs to the channel's event loop.
// Sendable although it is mutable: every variable is used on `channel.eventLoop` only, and each method that may be
// called from elsewhere goes there first.
final class HTTP1Connection: Connection, Carrier, ChannelDuplexHandler, Deadlined, @unchecked Sendable {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = Never
    typealias OutboundOut = ByteBuffer

    let channel: any Channel
    let origin: Origin
    var watchIndex: Int?

    let owner: any ConnectionOwner
    let watch: DeadlineWatch
    let limits: ResponseLimits
    private let idleLimit: TimeAmount
    var facts: ConnectionFacts

    var running: RunningExchange?
    var reader: ResponseReader
    /// Whether the request has not asked for the connection to be closed.
    var keepsAlive = true
    /// Whether a chunk of the request's body has gone out, whose end is written with what follows.
    var hasOpenChunk = false
    /// How much of bodies was sent since others last had their turn.
    var bodySent = 0
    /// Whether others have their turn.
    var bodyRests = false
    var idleSince = NIODeadline.now()
    var isClosing = false
    var isUnclean = false
    var heldRead = false
    var pace = ReadPace()
    /// Whether the next read is to be made a little later.
    var rests = false

    init(
        channel: any Channel,
        origin: Origin,
        owner: any ConnectionOwner,
        watch: DeadlineWatch,
        configuration: TransportConfiguration,
        facts: ConnectionFacts
    ) {
        self.channel = channel
        self.origin = origin
        self.owner = owner
        self.watch = watch
        self.limits = configuration.responses
        self.reader = ResponseReader(limits: configuration.responses)
        self.idleLimit = TimeAmount(configuration.connections.idle)
        self.facts = facts
    }

    // MARK: From any thread

    var eventLoop: any EventLoop { channel.eventLoop }
    var isOpen: Bool { channel.isActive }
    var isShared: Bool { false }
    var places: Int { 1 }

    func run(_ exchange: Exchange) {
        onLoop { $0.start(exchange) }
    }

    func abandon(_ exchange: Exchange) {
        onLoop { connection in
            guard connection.isRunning(exchange) else { return }
            connection.finishRunning()
            connection.closeChannel()
        }
    }

    func resumeReading(for exchange: Exchange) {
        onLoop { connection in
            guard connection.isRunning(exchange) else { return }
            connection.running?.isPaused = false
            connection.running?.lastProgress = .now()
            connection.watch.lookBefore(connection.deadline)
            if connection.heldRead {
                connection.heldRead = false
                connection.channel.read()
            }
        }
    }

    func send(_ body: Outbox, for exchange: Exchange) {
        onLoop { connection in
            guard connection.isRunning(exchange), case .body? = connection.running?.sending else { return body.stop() }
            connection.running?.outbox = body
            connection.sendBody()
        }
    }

    func close(failing reason: ClosingReason) {
        onLoop { connection in
            if reason == .clientClosed {
                connection.fail(
                    .clientClosed(NetworkFailure("the client was closed", phase: connection.running?.exchange.phase))
                )
            }
            connection.closeChannel()
        }
    }

    func onLoop(_ work: @escaping @Sendable (HTTP1Connection) -> Void) {
        if channel.eventLoop.inEventLoop { work(self) } else { channel.eventLoop.execute { work(self) } }
    }

    func isRunning(_ exchange: Exchange) -> Bool { running?.exchange === exchange }

    // MARK: Ending

    func handlerAdded(context: ChannelHandlerContext) {
        watch.add(self)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        watch.remove(self)
    }

    func channelInactive(context: ChannelHandlerContext) {
        receiveEndOfConnection()
        deliver()
        end()
        watch.remove(self)
        owner.connectionClosed(self)
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if error.isUncleanShutdown {
            isUnclean = true
            return
        }
        isClosing = true
        deliver()
        if let running, !mayStartOver(running) { fail(running.broken(by: error)) }
        closeChannel()
    }

    /// Ends the exchange when the connection has closed before the response was whole.
    private func end() {
        guard let running else { return }
        finishRunning()
        if mayStartOver(running), running.exchange.detach() { return owner.startOver(running.exchange, isDead: true) }
        _ = running.exchange.receive(IncomingPieces(end: .failure(running.closedEarly())))
    }

    /// The stale-connection rule (RFC 9112, section 9.3.1): the server closed a used connection as we wrote on it.
    private func mayStartOver(_ running: RunningExchange) -> Bool {
        !running.isFirst && !reader.hasReceived && running.exchange.request.isIdempotent
            && running.exchange.canStartOver
    }

    func fail(_ error: NetworkError) {
        guard let running else { return }
        finishRunning()
        _ = running.exchange.receive(IncomingPieces(end: .failure(error)))
    }

    /// Over TLS, closing takes a while, in which nothing new may begin.
    func closeChannel() {
        isClosing = true
        channel.close(mode: .all, promise: nil)
    }

    // MARK: Deadlines

    var deadline: NIODeadline { running?.deadline ?? (isClosing ? .distantFuture : idleSince + idleLimit) }

    func deadlinePassed(at now: NIODeadline) {
        if let running {
            fail(running.timeout(at: now))
            closeChannel()
        } else if owner.connectionMayClose(self) {
            closeChannel()
        }
    }
}
