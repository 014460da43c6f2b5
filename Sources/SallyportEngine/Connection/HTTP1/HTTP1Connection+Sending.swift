import HTTPTypes
import NIOCore
import NIOHTTP1
import SallyportTransport

/// How a request goes out.
extension HTTP1Connection {
    func start(_ exchange: Exchange) {
        guard channel.isActive, !isClosing, running == nil else { return owner.runElsewhere(exchange) }
        guard exchange.begin(on: self) else { return becomeFree() }
        tail.beginResponse()
        var running = RunningExchange(exchange, isFirst: !facts.isReused)
        let request = exchange.request
        response = HTTP1Response()
        writePart(.head(request.http1Head))
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

    func writePart(_ part: HTTPClientRequestPart) {
        channel.write(part, promise: nil)
    }

    /// A server that ignores the expectation gets the body after a second (RFC 9110, section 10.1.1).
    func sendBodyAnywayLater(for exchange: Exchange) {
        channel.eventLoop.assumeIsolated().scheduleTask(in: .seconds(1)) { [weak self] in
            if let self, self.isRunning(exchange), self.running?.hasHead == false { self.sendAwaitedBody() }
        }
    }

    func sendAwaitedBody() {
        guard case .awaitingContinue(let bytes)? = running?.sending, let exchange = running?.exchange else { return }
        running?.lastProgress = .now()
        if let bytes {
            running?.sending = .done
            watch.lookBefore(deadline)
            writePart(.body(.byteBuffer(bytes)))
            writePart(.end(nil))
            channel.flush()
            exchange.reach(.head)
        } else {
            running?.sending = .body
            exchange.allowUpload()
        }
    }

    func write(
        _ piece: OutgoingPiece,
        for exchange: Exchange,
        then continuation: CheckedContinuation<Bool, Never>
    ) {
        guard isRunning(exchange), channel.isActive, case .body? = running?.sending else {
            return continuation.resume(returning: false)
        }
        running?.lastProgress = .now()
        switch piece {
        case .chunk(let bytes):
            channel.write(HTTPClientRequestPart.body(.byteBuffer(bytes)), promise: progress(of: exchange))
            channel.flush()
            // A failed write drains the socket: flushing may have brought the response, and ended the exchange.
            guard isRunning(exchange) else { return continuation.resume(returning: false) }
            if channel.isWritable { continuation.resume(returning: true) } else { writersWaiting.append(continuation) }
        case .end(let trailers):
            writePart(.end(trailers.map { HTTPHeaders($0) }))
            running?.sending = .done
            watch.lookBefore(deadline)
            exchange.reach(.head)
            channel.flush()
            continuation.resume(returning: true)
        }
    }

    /// Kept when the network has taken what was written.
    private func progress(of exchange: Exchange) -> EventLoopPromise<Void> {
        let written = channel.eventLoop.makePromise(of: Void.self)
        written.futureResult.assumeIsolated().whenSuccess { [weak self] in
            if let self, self.isRunning(exchange) { self.running?.lastProgress = .now() }
        }
        return written
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable {
            running?.lastProgress = .now()
            releaseWriters(goOn: true)
        }
        context.fireChannelWritabilityChanged()
    }

    func releaseWriters(goOn: Bool) {
        let waiting = writersWaiting
        writersWaiting = []
        for writer in waiting { writer.resume(returning: goOn) }
    }
}
