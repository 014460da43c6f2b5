import HTTPTypes
import NIOCore
import SallyportTransport

/// An HTTP/1.1 connection, which runs one exchange at a time (RFC 9112).
///
/// It is the last handler of its channel's pipeline. All state belongs to the channel's event loop.
// Sendable although it is mutable: every variable is used on `channel.eventLoop` only, and each method that may be
// called from another thread first switches to that event loop.
final class HTTP1Connection: Connection, Carrier, ChannelDuplexHandler, Deadlined, @unchecked Sendable {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = Never
    typealias OutboundOut = ByteBuffer

    let channel: any Channel
    let origin: Origin
    let poolEntry: PoolEntry<any Connection>
    var watchIndex: Int?

    private let owner: any ConnectionOwner
    private let watch: DeadlineWatch
    private let delivery: ResponseDelivery
    private var state: HTTP1ConnectionState

    // Sending.
    private var context: ChannelHandlerContext?
    private var chunks = ChunkedEncoder()
    /// The number of bytes of bodies sent since this connection last let others of its event loop continue.
    private var bytesThisTurn = 0
    private var awaitsNextTurn = false
    /// A Boolean value that indicates whether the network accepted the last part of a body at once. It is `false` with
    /// TLS, because encrypting larger parts would need as much memory again.
    private var isNetworkFast = false

    init(_ setup: ConnectionSetup) {
        channel = setup.channel
        origin = setup.origin
        poolEntry = PoolEntry(eventLoop: ObjectIdentifier(setup.channel.eventLoop))
        owner = setup.owner
        watch = setup.watch
        delivery = setup.delivery
        state = HTTP1ConnectionState(setup.configuration, facts: setup.facts)
    }

    // MARK: Called from any thread

    var isOpen: Bool { channel.isActive }
    var isShared: Bool { false }
    var capacity: Int { 1 }

    func run(_ exchange: Exchange) {
        // With `onLoop`, each call would allocate two closures.
        if channel.eventLoop.inEventLoop { start(exchange) } else { channel.eventLoop.execute { self.start(exchange) } }
    }

    func abandon(_ exchange: Exchange) {
        onLoop { connection in
            guard connection.isRunning(exchange) else { return }
            connection.finishRunning()
            connection.closeChannel()
        }
    }

    func drain(_ exchange: Exchange) {
        onLoop { connection in
            guard connection.isRunning(exchange) else { return }
            guard connection.state.beginDraining() else {
                connection.finishRunning()
                return connection.closeChannel()
            }
            connection.resumeReading()
        }
    }

    func resumeReading(for exchange: Exchange) {
        onLoop { connection in
            if connection.isRunning(exchange) { connection.resumeReading() }
        }
    }

    private func resumeReading() {
        let awaitsRead = state.resumeReading()
        watch.check(before: deadline)
        if awaitsRead { channel.read() }
    }

    func send(_ body: UploadBuffer, for exchange: Exchange) {
        onLoop { connection in
            guard connection.isRunning(exchange), case .body? = connection.state.running?.sending else {
                return body.stop()
            }
            connection.state.running?.uploadBuffer = body
            connection.sendBody()
        }
    }

    func close(failing reason: ClosingReason) {
        onLoop { connection in
            if reason == .clientClosed {
                let phase = connection.state.running?.exchange.phase
                connection.fail(.clientClosed(NetworkFailure("the client was closed", phase: phase)))
            }
            connection.closeChannel()
        }
    }

    private func onLoop(_ work: @escaping @Sendable (HTTP1Connection) -> Void) {
        if channel.eventLoop.inEventLoop { work(self) } else { channel.eventLoop.execute { work(self) } }
    }

    private func isRunning(_ exchange: Exchange) -> Bool { state.running?.exchange === exchange }

    // MARK: Sending the request

    private func start(_ exchange: Exchange) {
        guard channel.isActive, state.isFree else { return owner.runElsewhere(exchange) }
        guard exchange.begin(on: self) else { return becomeFree() }
        let request = exchange.request
        let bytes: ByteBuffer
        let sending: RunningExchange.Sending
        switch request.body {
        case .bytes(let data) where !request.expectsContinue:
            bytes = request.http1Head(with: data)
            sending = .done
        case .bytes(let data):
            bytes = request.http1Head()
            sending = .awaitingContinue(ByteBuffer(bytes: data))
        case .produced:
            bytes = request.http1Head()
            sending = request.expectsContinue ? .awaitingContinue(nil) : .body
            chunks = ChunkedEncoder()
        }
        state.begin(exchange, sending: sending)
        delivery.exchangeBegan()
        context?.writeAndFlush(wrapOutboundOut(bytes), promise: nil)
        switch sending {
        case .done: exchange.reach(.head)
        case .body: exchange.allowUpload()
        case .awaitingContinue: scheduleAwaitedBody(for: exchange)
        }
        watch.check(before: deadline)
    }

    /// Sends the body after one second to a server that ignores the expectation (RFC 9110, section 10.1.1).
    private func scheduleAwaitedBody(for exchange: Exchange) {
        channel.eventLoop.assumeIsolated().scheduleTask(in: .seconds(1)) { [weak self] in
            if let self, self.isRunning(exchange), self.state.running?.hasHead == false { self.sendAwaitedBody() }
        }
    }

    /// Sends the body that waited for `100 Continue`, unless it is being sent.
    private func sendAwaitedBody() {
        guard case .awaitingContinue(let bytes)? = state.running?.sending, let exchange = state.running?.exchange else {
            return
        }
        state.running?.lastProgress = .now()
        if let bytes {
            state.running?.finishSending()
            watch.check(before: deadline)
            channel.writeAndFlush(bytes, promise: nil)
            exchange.reach(.head)
        } else {
            state.running?.sending = .body
            exchange.allowUpload()
        }
    }

    /// The number of bytes to send in one turn of the event loop, so that its other connections are not delayed.
    private static let bytesPerTurn = 1 << 20

    /// Sends the available part of the body, as long as the channel is writable.
    private func sendBody() {
        // A failed write drains the socket, so that flushing may receive the response and end the exchange. It may also
        // make the channel writable and so call this method again.
        while !awaitsNextTurn, channel.isWritable, let count = writeBody() {
            bytesThisTurn += count
            if bytesThisTurn >= Self.bytesPerTurn { continueNextTurn() }
            channel.flush()
            isNetworkFast = channel.isWritable && !state.isSecure
        }
    }

    private func continueNextTurn() {
        awaitsNextTurn = true
        bytesThisTurn = 0
        channel.eventLoop.assumeIsolated().execute { [weak self] in
            self?.awaitsNextTurn = false
            self?.sendBody()
        }
    }

    /// Writes the next part of the body.
    ///
    /// - Returns: The number of bytes written, or `nil` if nothing was available.
    private func writeBody() -> Int? {
        guard let exchange = state.running?.exchange,
            var content = state.running?.uploadBuffer?.take(isNetworkFast: isNetworkFast)
        else { return nil }
        let isChunked = exchange.request.isChunked
        let count = content.bytes.readableBytes
        state.running?.lastProgress = .now()
        if count > 0 {
            if isChunked { channel.write(chunks.start(size: count), promise: nil) }
            while let piece = content.nextPiece() { channel.write(piece, promise: progressPromise(for: exchange)) }
        }
        if content.isLast {
            if isChunked { channel.write(chunks.end(with: content.trailers), promise: nil) }
            state.running?.finishSending()
            state.running?.uploadBuffer = nil
            watch.check(before: deadline)
            exchange.reach(.head)
        }
        return count
    }

    /// Creates a promise that records progress once the written bytes have been handed to the network.
    private func progressPromise(for exchange: Exchange) -> EventLoopPromise<Void> {
        let written = channel.eventLoop.makePromise(of: Void.self)
        written.futureResult.assumeIsolated().whenSuccess { [weak self] in
            if let self, self.isRunning(exchange) { self.state.running?.lastProgress = .now() }
        }
        return written
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable {
            state.running?.lastProgress = .now()
            sendBody()
        }
        context.fireChannelWritabilityChanged()
    }

    // MARK: Receiving the response

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard state.receive(unwrapInboundIn(data)) else { return closeChannel() }
        do throws(NetworkError) {
            while try state.parse() { sendAwaitedBody() }
        } catch {
            state.isClosing = true
            deliver()
            fail(error.inPhase(state.running?.exchange.phase))
            closeChannel()
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        deliver()
        state.readCompleted()
        context.fireChannelReadComplete()
    }

    func read(context: ChannelHandlerContext) {
        switch state.readRequested() {
        case .read: context.read()
        case .delay: ReadCoalescing.readLater(on: channel)
        case .suspend: break
        }
    }

    /// Passes the received parts to the exchange.
    ///
    /// When the response is complete, the connection becomes free before the caller receives the end, so that the
    /// caller's next request can use it.
    private func deliver() {
        guard let (exchange, parts) = state.takeParts() else { return }
        if parts.end == nil {
            let continuesReading = exchange.receive(parts)
            // The caller may have been resumed at once and may have ended the exchange.
            if isRunning(exchange), !state.delivered(parts, isPaused: !continuesReading) {
                finishRunning()
                closeChannel()
            }
            return
        }
        let canBeReused = state.canBeReused
        finishRunning()
        if canBeReused, case .success? = parts.end { becomeFree() } else { closeChannel() }
        delivery.deliver(parts, to: exchange)
    }

    private func finishRunning() {
        delivery.exchangeLeft()
        state.finish()?.stop()
    }

    private func becomeFree() {
        state.becomeIdle()
        watch.check(before: deadline)
        owner.connectionIsFree(self)
    }

    // MARK: Ending

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        watch.add(self)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        watch.remove(self)
        self.context = nil
    }

    func channelInactive(context: ChannelHandlerContext) {
        state.receiveEndOfConnection()
        deliver()
        end()
        watch.remove(self)
        owner.connectionClosed(self)
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if error.isUncleanShutdown {
            state.isUnclean = true
            return
        }
        state.isClosing = true
        deliver()
        if let running = state.running, !running.mayStartOver(hasReceived: state.hasReceived) {
            fail(running.broken(by: error, headBytes: state.headBytes))
        }
        closeChannel()
    }

    /// Ends the running exchange if the connection closes before its response is complete.
    private func end() {
        guard let running = state.running else { return }
        let headBytes = state.headBytes
        finishRunning()
        if running.mayStartOver(hasReceived: state.hasReceived), running.exchange.detach(afterSending: true) {
            return owner.startOver(running.exchange, isDead: true)
        }
        _ = running.exchange.receive(ResponseParts(end: .failure(running.closedEarly(headBytes: headBytes))))
    }

    private func fail(_ error: NetworkError) {
        guard let running = state.running else { return }
        finishRunning()
        _ = running.exchange.receive(ResponseParts(end: .failure(error)))
    }

    /// Closes the channel. With TLS this takes a while, during which no new exchange may begin.
    private func closeChannel() {
        state.isClosing = true
        channel.close(mode: .all, promise: nil)
    }

    // MARK: Deadlines

    var deadline: NIODeadline { state.deadline }

    func deadlinePassed(at now: NIODeadline) {
        if state.running?.postpones(at: now) == true { return }
        if let running = state.running {
            fail(running.timeout(at: now, headBytes: state.headBytes))
            closeChannel()
        } else if owner.connectionMayClose(self) {
            closeChannel()
        }
    }
}

extension NetworkError {
    /// Returns the error with a phase, unless it has one.
    fileprivate func inPhase(_ phase: ExchangePhase?) -> NetworkError {
        var error = self
        if error.failure.phase == nil { error.failure.phase = phase }
        return error
    }
}
