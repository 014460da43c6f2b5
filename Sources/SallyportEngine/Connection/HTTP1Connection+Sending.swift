import HTTPTypes
import NIOCore
import NIOHTTP1
import SallyportTransport

/// How a request goes out.
extension HTTP1Connection {
    func start(_ exchange: Exchange) {
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

    func writePart(_ part: HTTPClientRequestPart) {
        channel.write(part, promise: nil)
    }

    /// A server that ignores the expectation gets the body after a second (RFC 9110, section 10.1.1).
    func sendBodyAnywayLater(for exchange: Exchange) {
        channel.eventLoop.assumeIsolated().scheduleTask(in: .seconds(1)) { [weak self] in
            if let self, self.isRunning(exchange) { self.sendAwaitedBody() }
        }
    }

    func sendAwaitedBody() {
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

    func releaseWriters(goOn: Bool) {
        let waiting = writersWaiting
        writersWaiting = []
        for writer in waiting { writer.resume(returning: goOn) }
    }
}
