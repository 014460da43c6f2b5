import HTTPTypes
import NIOCore
import NIOHPACK
import NIOHTTP2
import SallyportTransport

/// How a request goes out.
extension HTTP2Stream {
    func start(_ head: HPACKHeaders) {
        let request = exchange.request
        switch request.body {
        case .bytes(let data) where data.isEmpty:
            running.sending = .done
        case .bytes(let data):
            running.sending = .awaitingContinue(ByteBuffer(bytes: data))
        case .produced:
            running.sending = request.expectsContinue ? .awaitingContinue(nil) : .body
        }
        connection.write(.headers(.init(headers: head, endStream: running.sending.isDone)), on: id)
        if !request.expectsContinue { sendAwaitedBody() }
        switch running.sending {
        case .done: exchange.reach(.head)
        case .body: exchange.allowUpload()
        case .awaitingContinue: sendBodyAnywayLater()
        }
    }

    /// A server that ignores the expectation gets the body after a second (RFC 9110, section 10.1.1).
    private func sendBodyAnywayLater() {
        connection.channel.eventLoop.assumeIsolated().scheduleTask(in: .seconds(1)) { [weak self] in
            guard let self, self.isLive, !self.running.hasHead else { return }
            self.sendAwaitedBody()
        }
    }

    func sendAwaitedBody() {
        guard case .awaitingContinue(let bytes) = running.sending else { return }
        running.lastProgress = .now()
        guard let bytes else {
            running.sending = .body
            return exchange.allowUpload()
        }
        running.sending = .done
        connection.watch.lookBefore(deadline)
        send(bytes, endStream: true)
        exchange.reach(.head)
    }

    func write(_ piece: OutgoingPiece, then continuation: CheckedContinuation<Bool, Never>) {
        guard isLive, !isClosed, case .body = running.sending else { return continuation.resume(returning: false) }
        running.lastProgress = .now()
        switch piece {
        case .chunk(let bytes):
            send(bytes, endStream: false)
            guard isLive else { return continuation.resume(returning: false) }
            if unsentBytes <= HTTP2Limits.unsentBytes {
                continuation.resume(returning: true)
            } else {
                writersWaiting.append(continuation)
            }
        case .end(let trailers):
            running.sending = .done
            connection.watch.lookBefore(deadline)
            exchange.reach(.head)
            if let trailers, !trailers.isEmpty {
                let headers = HPACKHeaders(trailers.map { ($0.name.canonicalName, $0.value) })
                guard headers.fitsInFrame else {
                    fail(.largeHead)
                    return continuation.resume(returning: false)
                }
                connection.write(.headers(.init(headers: headers, endStream: true)), on: id)
            } else {
                connection.write(.data(.init(data: .byteBuffer(ByteBuffer()), endStream: true)), on: id)
            }
            continuation.resume(returning: true)
        }
    }

    /// Hands bytes to NIO, which keeps them until the server's windows let them pass.
    private func send(_ bytes: ByteBuffer, endStream: Bool) {
        let count = bytes.readableBytes
        unsentBytes += count
        let written = connection.channel.eventLoop.makePromise(of: Void.self)
        written.futureResult.assumeIsolated().whenSuccess { [weak self] in self?.hasSent(count) }
        connection.write(.data(.init(data: .byteBuffer(bytes), endStream: endStream)), on: id, promise: written)
    }

    /// The network has taken so many bytes.
    private func hasSent(_ count: Int) {
        running.lastProgress = .now()
        unsentBytes -= count
        if unsentBytes <= HTTP2Limits.unsentBytes / 2 { releaseWriters(goOn: true) }
    }

    func releaseWriters(goOn: Bool) {
        let waiting = writersWaiting
        writersWaiting = []
        for writer in waiting { writer.resume(returning: goOn) }
    }
}
