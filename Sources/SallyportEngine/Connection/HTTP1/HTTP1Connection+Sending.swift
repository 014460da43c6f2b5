import HTTPTypes
import NIOCore
import SallyportTransport

/// How a request goes out.
extension HTTP1Connection {
    func start(_ exchange: Exchange) {
        guard channel.isActive, !isClosing, running == nil else { return owner.runElsewhere(exchange) }
        guard exchange.begin(on: self) else { return becomeFree() }
        let request = exchange.request
        reader.expectResponse(to: request.method)
        keepsAlive = !request.asksToClose
        hasOpenChunk = false
        var running = RunningExchange(exchange, isFirst: !facts.isReused)
        let bytes: ByteBuffer
        switch request.body {
        case .bytes(let data) where !request.expectsContinue:
            bytes = request.http1Head(with: data)
            running.sending = .done
        case .bytes(let data):
            bytes = request.http1Head()
            running.sending = .awaitingContinue(ByteBuffer(bytes: data))
        case .produced:
            bytes = request.http1Head()
            running.sending = request.expectsContinue ? .awaitingContinue(nil) : .body
        }
        let sending = running.sending
        self.running = running
        channel.writeAndFlush(bytes, promise: nil)
        switch sending {
        case .done: exchange.reach(.head)
        case .body: exchange.allowUpload()
        case .awaitingContinue: sendBodyAnywayLater(for: exchange)
        }
        watch.lookBefore(deadline)
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
            channel.writeAndFlush(bytes, promise: nil)
            exchange.reach(.head)
        } else {
            running?.sending = .body
            exchange.allowUpload()
        }
    }

    /// Sends of the body what is there, as long as the network takes it.
    func sendBody() {
        // A failed write drains the socket: flushing may have brought the response, and ended the exchange. It may also
        // have told that there is room again, and so have come here.
        while !bodyRests, channel.isWritable, let count = writeBody() {
            bodySent += count
            if bodySent >= Self.bodyTurn { restFromBody() }
            channel.flush()
        }
    }

    /// How much is sent before the event loop's other connections have their turn.
    private static let bodyTurn = 1 << 20

    private func restFromBody() {
        bodyRests = true
        bodySent = 0
        channel.eventLoop.assumeIsolated().execute { [weak self] in
            self?.bodyRests = false
            self?.sendBody()
        }
    }

    /// - Returns: How many bytes were written; `nil` if there was nothing to write.
    private func writeBody() -> Int? {
        guard let exchange = running?.exchange, let content = running?.outbox?.take() else { return nil }
        let isChunked = exchange.request.isChunked
        let count = content.bytes.readableBytes
        running?.lastProgress = .now()
        if count > 0 {
            if isChunked { writeChunkStart(of: count) }
            channel.write(content.bytes, promise: progress(of: exchange))
        }
        if content.isLast {
            if isChunked { channel.write(lastChunk(with: content.trailers), promise: nil) }
            running?.sending = .done
            running?.outbox = nil
            watch.lookBefore(deadline)
            exchange.reach(.head)
        }
        return count
    }

    /// The size of a chunk, behind the end of the one before (RFC 9112, section 7.1).
    private func writeChunkStart(of size: Int) {
        var line = ByteBuffer()
        if hasOpenChunk { line.writeStaticString("\r\n") }
        line.writeString(String(size, radix: 16))
        line.writeStaticString("\r\n")
        hasOpenChunk = true
        channel.write(line, promise: nil)
    }

    private func lastChunk(with trailers: HTTPFields?) -> ByteBuffer {
        var last = Array((hasOpenChunk ? "\r\n0\r\n" : "0\r\n").utf8)
        for field in trailers ?? [:] { last.appendField(field.name.rawName, field.value) }
        return ByteBuffer(bytes: last + "\r\n".utf8)
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
            sendBody()
        }
        context.fireChannelWritabilityChanged()
    }
}
