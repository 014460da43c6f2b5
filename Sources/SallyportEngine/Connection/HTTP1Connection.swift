import HTTPTypes
import NIOCore
import NIOHTTP1
import SallyportTransport

/// An HTTP/1.1 connection: one exchange at a time (RFC 9112).
///
/// It is the last handler of its channel's pipeline. All state belongs to the channel's event loop.
// Sendable although it is mutable: every variable is used on `channel.eventLoop` only, and each method that may be
// called from elsewhere goes there first.
final class HTTP1Connection: Connection, ChannelInboundHandler, ChannelOutboundHandler, Deadlined, @unchecked Sendable {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundIn = Never
    typealias OutboundOut = HTTPClientRequestPart

    let channel: any Channel
    let origin: Origin
    var watchIndex: Int?

    private let owner: any ConnectionOwner
    private let watch: DeadlineWatch
    private let tail: ResponseTail
    private let limits: ResponseLimits
    private let idleLimit: TimeAmount
    private var facts: ConnectionFacts

    private var running: RunningExchange?
    private var idleSince = NIODeadline.now()
    private var isClosing = false
    private var isUnclean = false
    private var heldRead = false
    private var writersWaiting: [CheckedContinuation<Bool, Never>] = []

    init(
        channel: any Channel,
        origin: Origin,
        owner: any ConnectionOwner,
        watch: DeadlineWatch,
        tail: ResponseTail,
        configuration: TransportConfiguration,
        facts: ConnectionFacts
    ) {
        self.channel = channel
        self.origin = origin
        self.owner = owner
        self.watch = watch
        self.tail = tail
        self.limits = configuration.responses
        self.idleLimit = TimeAmount(configuration.connections.idle)
        self.facts = facts
    }

    // MARK: From any thread

    var isOpen: Bool { channel.isActive }

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
            if connection.heldRead {
                connection.heldRead = false
                connection.channel.read()
            }
        }
    }

    func write(_ piece: OutgoingPiece, for exchange: Exchange) async throws {
        let goesOn = await withCheckedContinuation { continuation in
            onLoop { $0.write(piece, for: exchange, then: continuation) }
        }
        guard goesOn else { throw CancellationError() }
    }

    func close(failing reason: ClosingReason) {
        onLoop { connection in
            if reason == .clientClosed {
                connection.fail(.clientClosed(NetworkFailure("the client was closed", phase: connection.running?.exchange.phase)))
            }
            connection.closeChannel()
        }
    }

    private func onLoop(_ work: @escaping @Sendable (HTTP1Connection) -> Void) {
        if channel.eventLoop.inEventLoop { work(self) } else { channel.eventLoop.execute { work(self) } }
    }

    private func isRunning(_ exchange: Exchange) -> Bool { running?.exchange === exchange }

    // MARK: Sending

    private func start(_ exchange: Exchange) {
        guard channel.isActive, !isClosing, running == nil else { return owner.startOver(exchange) }
        guard exchange.begin(on: self) else { return becomeFree() }
        tail.beginResponse()
        var running = RunningExchange(exchange, isFirst: !facts.isReused)
        let request = exchange.request
        writePart(.head(request.head))
        switch request.body {
        case .bytes(let data) where !request.expectsContinue:
            if !data.isEmpty { writePart(.body(.byteBuffer(ByteBuffer(bytes: data)))) }
            writePart(.end(nil))
            running.sending = .done
        case .bytes(let data):
            running.sending = .awaitingContinue(ByteBuffer(bytes: data))
        case .produced:
            running.sending = request.expectsContinue ? .awaitingContinue(nil) : .body
        }
        self.running = running
        channel.flush()
        switch running.sending {
        case .done: exchange.reach(.head)
        case .body: exchange.allowUpload()
        case .awaitingContinue: sendBodyAnywayLater(for: exchange)
        }
        watch.lookBefore(deadline)
    }

    private func writePart(_ part: HTTPClientRequestPart) {
        channel.write(part, promise: nil)
    }

    /// A server that ignores the expectation gets the body after a second (RFC 9110, section 10.1.1).
    private func sendBodyAnywayLater(for exchange: Exchange) {
        channel.eventLoop.assumeIsolated().scheduleTask(in: .seconds(1)) { [weak self] in
            if let self, self.isRunning(exchange) { self.sendAwaitedBody() }
        }
    }

    private func sendAwaitedBody() {
        guard case .awaitingContinue(let bytes)? = running?.sending, let exchange = running?.exchange else { return }
        running?.lastProgress = .now()
        if let bytes {
            running?.sending = .done
            writePart(.body(.byteBuffer(bytes)))
            writePart(.end(nil))
            channel.flush()
            exchange.reach(.head)
        } else {
            running?.sending = .body
            exchange.allowUpload()
        }
    }

    private func write(_ piece: OutgoingPiece, for exchange: Exchange, then continuation: CheckedContinuation<Bool, Never>) {
        guard isRunning(exchange), channel.isActive, case .body? = running?.sending else {
            return continuation.resume(returning: false)
        }
        running?.lastProgress = .now()
        switch piece {
        case .chunk(let bytes):
            writePart(.body(.byteBuffer(bytes)))
            channel.flush()
            if channel.isWritable { continuation.resume(returning: true) } else { writersWaiting.append(continuation) }
        case .end(let trailers):
            writePart(.end(trailers.map { HTTPHeaders($0) }))
            channel.flush()
            running?.sending = .done
            exchange.reach(.head)
            continuation.resume(returning: true)
        }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable {
            running?.lastProgress = .now()
            releaseWriters(goOn: true)
        }
        context.fireChannelWritabilityChanged()
    }

    private func releaseWriters(goOn: Bool) {
        let waiting = writersWaiting
        writersWaiting = []
        for writer in waiting { writer.resume(returning: goOn) }
    }

    // MARK: Receiving

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard running != nil else { return closeChannel() }
        running?.lastProgress = .now()
        switch unwrapInboundIn(data) {
        case .head(let head): receive(head)
        case .body(let part): receive(part)
        case .end(let trailers): receiveEnd(trailers)
        }
    }

    private func receive(_ head: HTTPResponseHead) {
        guard var running else { return }
        do throws(NetworkError) {
            let response = try HTTPResponse(head)
            if response.status.kind == .informational, response.status.code != 101 {
                try running.receive(informational: response, limit: limits.informationalResponses)
                self.running = running
                if response.status.code == 100 { sendAwaitedBody() }
            } else {
                try running.receive(final: response, version: head.version, keepsAlive: head.isKeepAlive, facts: facts)
                self.running = running
            }
        } catch {
            fail(error)
            closeChannel()
        }
    }

    private func receive(_ part: ByteBuffer) {
        running?.pieces.chunks.append(part)
        running?.lastPart = part
    }

    private func receiveEnd(_ trailers: HTTPHeaders?) {
        guard var running else { return }
        if isUnclean, running.framing == .untilClose {
            running.pieces.end = .failure(running.incomplete("the TLS connection was cut off"))
        } else {
            let fields = trailers.flatMap { try? HTTPFields($0) } ?? [:]
            running.pieces.end = .success(fields)
            running.endsClean = tail.ends(with: running.framing == .length ? running.lastPart : nil)
        }
        self.running = running
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        deliver()
        context.fireChannelReadComplete()
    }

    func read(context: ChannelHandlerContext) {
        if running?.isPaused == true { heldRead = true } else { context.read() }
    }

    /// Gives the exchange what was read; once the response is whole, the connection is free before its caller knows.
    private func deliver() {
        guard let running, !running.pieces.isEmpty else { return }
        let pieces = running.pieces
        self.running?.pieces = IncomingPieces()
        guard let outcome = pieces.end else {
            self.running?.isPaused = !running.exchange.receive(pieces)
            return
        }
        finishRunning()
        if outcome.isSuccess && running.canConnectionBeReused && !isClosing { becomeFree() } else { closeChannel() }
        _ = running.exchange.receive(pieces)
    }

    private func finishRunning() {
        running = nil
        tail.endResponse()
        releaseWriters(goOn: false)
        facts.isReused = true
        facts.resolve = nil
        facts.connect = nil
        facts.tls = nil
    }

    private func becomeFree() {
        idleSince = .now()
        watch.lookBefore(deadline)
        owner.connectionIsFree(self)
    }

    // MARK: Ending

    func handlerAdded(context: ChannelHandlerContext) {
        watch.add(self)
    }

    func channelInactive(context: ChannelHandlerContext) {
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
        if let running, !(running.pieces.end?.isSuccess ?? false) {
            deliver()
            if !mayStartOver(running) { fail(running.failure(for: error)) }
        }
        closeChannel()
    }

    /// Ends the exchange when the connection has closed before the response was whole.
    private func end() {
        guard let running else { return }
        finishRunning()
        if mayStartOver(running), running.exchange.detach() { return owner.startOver(running.exchange) }
        _ = running.exchange.receive(IncomingPieces(end: .failure(running.closedEarly())))
    }

    /// The stale-connection rule (RFC 9112, section 9.3.1): the server closed a used connection as we wrote on it.
    private func mayStartOver(_ running: RunningExchange) -> Bool {
        !running.isFirst && !tail.hasReceived && running.exchange.request.isIdempotent && running.exchange.canStartOver
    }

    private func fail(_ error: NetworkError) {
        guard let running else { return }
        finishRunning()
        _ = running.exchange.receive(IncomingPieces(end: .failure(error)))
    }

    /// Over TLS, closing takes a while, in which nothing new may begin.
    private func closeChannel() {
        isClosing = true
        channel.close(mode: .all, promise: nil)
    }

    // MARK: Deadlines

    var deadline: NIODeadline { running?.deadline ?? idleSince + idleLimit }

    func deadlinePassed(at now: NIODeadline) {
        if let running {
            fail(running.timeout(at: now))
            closeChannel()
        } else if owner.connectionMayClose(self) {
            closeChannel()
        }
    }
}

extension Result {
    fileprivate var isSuccess: Bool {
        if case .success = self { true } else { false }
    }
}
