import HTTPTypes
import NIOCore
import NIOHTTP1
import SallyportTransport

/// How a response comes in.
extension HTTP1Connection {
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard running != nil else { return closeChannel() }
        running?.lastProgress = .now()
        switch unwrapInboundIn(data) {
        case .head(let head): receive(head)
        case .body(let part): receive(part)
        case .end(let trailers): receiveEnd(trailers)
        }
    }

    func receive(_ head: HTTPResponseHead) {
        guard var running else { return }
        do throws(NetworkError) {
            let response = try HTTPResponse(head)
            if response.status.kind == .informational, response.status.code != 101 {
                try running.receive(informational: response, limit: limits.informationalResponses)
                self.running = running
                if response.status.code == 100 { sendAwaitedBody() }
            } else {
                try receive(final: response, head, in: &running)
                self.running = running
            }
        } catch {
            fail(error)
            closeChannel()
        }
    }

    private func receive(
        final head: HTTPResponse,
        _ received: HTTPResponseHead,
        in running: inout RunningExchange
    ) throws(NetworkError) {
        let length = try response.begin(head, to: running.exchange.request, keepsAlive: received.isKeepAlive)
        var facts = facts
        facts.httpVersion = received.version == .http1_0 ? .http1_0 : .http1_1
        try running.receive(final: head, length: length, facts: facts)
    }

    func receive(_ part: ByteBuffer) {
        running?.pieces.chunks.append(part)
        response.lastPart = part
    }

    func receiveEnd(_ trailers: HTTPHeaders?) {
        guard var running else { return }
        if isUnclean, response.framing == .untilClose {
            running.pieces.end = .failure(running.incomplete("the TLS connection was cut off"))
        } else {
            running.pieces.end = Result { () throws(NetworkError) in
                try trailers.map { trailers throws(NetworkError) in try HTTPFields(trailers) } ?? [:]
            }
            response.endsClean = tail.ends(with: response.knownEnd)
        }
        tail.endResponse()
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
    func deliver() {
        guard let running, let pieces = self.running?.takePieces(), !pieces.isEmpty else { return }
        guard let outcome = pieces.end else {
            self.running?.isPaused = !running.exchange.receive(pieces)
            return
        }
        finishRunning()
        let canBeReused = running.sending.isDone && response.canConnectionBeReused && !isClosing
        if outcome.isSuccess && canBeReused { becomeFree() } else { closeChannel() }
        _ = running.exchange.receive(pieces)
    }

    func finishRunning() {
        running = nil
        tail.endResponse()
        releaseWriters(goOn: false)
        facts.hasCarried()
    }

    func becomeFree() {
        idleSince = .now()
        watch.lookBefore(deadline)
        owner.connectionIsFree(self)
    }
}

extension Result {
    fileprivate var isSuccess: Bool {
        if case .success = self { true } else { false }
    }
}
