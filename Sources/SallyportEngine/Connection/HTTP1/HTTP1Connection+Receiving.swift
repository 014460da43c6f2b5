import HTTPTypes
import NIOCore
import SallyportTransport

/// How a response comes in.
extension HTTP1Connection {
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard running != nil else { return closeChannel() }
        running?.lastProgress = .now()
        let bytes = unwrapInboundIn(data)
        pace.add(bytes)
        reader.receive(bytes)
        do throws(NetworkError) {
            while running != nil, let part = try reader.next() { try take(part) }
        } catch {
            isClosing = true
            deliver()
            fail(error.at(running?.exchange.phase))
            closeChannel()
        }
    }

    private func take(_ part: ResponseReader.Part) throws(NetworkError) {
        switch part {
        case .informational(let response):
            try running?.receive(informational: response, limit: limits.informationalResponses)
            if response.status.code == 100 { sendAwaitedBody() }
        case .head(let response, let version, let length):
            facts.httpVersion = version
            try running?.receive(final: response, length: length, facts: facts)
        case .chunk(let bytes):
            running?.pieces.chunks.append(bytes)
        case .end(let trailers):
            running?.pieces.end = .success(trailers)
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        deliver()
        rests = pace.endRead(at: .now()) && reader.missing >= ReadPace.smallestBody
        context.fireChannelReadComplete()
    }

    func read(context: ChannelHandlerContext) {
        if running?.isPaused == true {
            heldRead = true
        } else if rests {
            rests = false
            context.eventLoop.assumeIsolated().scheduleTask(in: ReadPace.rest) { [channel] in channel.read() }
        } else {
            context.read()
        }
    }

    /// Gives the exchange what was read; once the response is whole, the connection is free before its caller knows.
    func deliver() {
        guard let exchange = running?.exchange, let pieces = running?.takePieces(), !pieces.isEmpty else { return }
        guard let outcome = pieces.end else {
            let goesOn = exchange.receive(pieces)
            // A continuation may have been resumed at once, and the exchange be over.
            if isRunning(exchange) { running?.isPaused = !goesOn }
            return
        }
        let isSent = running?.sending.isDone == true
        finishRunning()
        let canBeReused = isSent && reader.canReadAnother && keepsAlive && !isClosing
        if case .success = outcome, canBeReused { becomeFree() } else { closeChannel() }
        _ = exchange.receive(pieces)
    }

    func finishRunning() {
        running?.outbox?.stop()
        running = nil
        facts.hasCarried()
    }

    func becomeFree() {
        idleSince = .now()
        watch.lookBefore(deadline)
        owner.connectionIsFree(self)
    }

    /// The connection has ended, which is how some bodies end.
    func receiveEndOfConnection() {
        guard let running, reader.lastsUntilClose else { return }
        self.running?.pieces.end =
            isUnclean ? .failure(running.incomplete("the TLS connection was cut off")) : .success([:])
    }
}

extension NetworkError {
    /// The error with how far the exchange was, unless it says so.
    fileprivate func at(_ phase: ExchangePhase?) -> NetworkError {
        var error = self
        if error.failure.phase == nil { error.failure.phase = phase }
        return error
    }
}
