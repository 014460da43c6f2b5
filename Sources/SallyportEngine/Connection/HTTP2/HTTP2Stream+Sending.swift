import HTTPTypes
import NIOCore
import NIOHPACK
import SallyportTransport

/// How a request goes out.
extension HTTP2Stream {
    func start() {
        let request = exchange.request
        switch request.body {
        case .bytes(let data) where data.isEmpty:
            running.sending = .done
        case .bytes(let data):
            running.sending = .awaitingContinue(ByteBuffer(bytes: data))
        case .produced:
            running.sending = request.expectsContinue ? .awaitingContinue(nil) : .body
        }
        hasSentEnd = running.sending.isDone
        guard write(request.http2Head, endStream: hasSentEnd) else { return }
        if !request.expectsContinue { sendAwaitedBody() }
        switch running.sending {
        case .done: exchange.reach(.head)
        case .body: exchange.allowUpload()
        case .awaitingContinue: sendBodyAnywayLater()
        }
    }

    /// - Returns: Whether the exchange goes on.
    private func write(_ fields: HPACKHeaders, endStream: Bool) -> Bool {
        do {
            try connection.write { out in
                try out.writeFields(
                    fields,
                    on: id,
                    endStream: endStream,
                    largestFrame: connection.largestFrame,
                    &connection.encoder
                )
            }
            return true
        } catch {
            isClosed = true
            fail(.invalidRequest(NetworkFailure("the request's fields cannot be encoded", underlying: error)))
            return false
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
        send(bytes)
        end = .plain
        exchange.reach(.head)
    }

    /// Takes of the body what is there, as long as not too much of it waits for the server's windows.
    func sendBody() {
        while isLive, !isClosed, unsentBytes <= HTTP2Limits.unsentBytes, takeBody() {}
    }

    /// - Returns: Whether there was something to take.
    private func takeBody() -> Bool {
        guard let content = running.outbox?.take() else { return false }
        running.lastProgress = .now()
        send(content.bytes)
        if content.isLast { sendEnd(content.trailers) }
        return true
    }

    private func sendEnd(_ trailers: HTTPFields?) {
        running.sending = .done
        running.outbox = nil
        connection.watch.lookBefore(deadline)
        exchange.reach(.head)
        end = .plain
        if let trailers, !trailers.isEmpty {
            end = .trailers(HPACKHeaders(trailers.map { ($0.name.canonicalName, $0.value) }))
        }
        connection.lineUp(self)
    }

    /// Keeps bytes until the server's windows let them pass.
    private func send(_ bytes: ByteBuffer) {
        guard bytes.readableBytes > 0 else { return }
        unsentBytes += bytes.readableBytes
        unsent.append(bytes)
        connection.lineUp(self)
    }

    var hasMoreToSend: Bool { !unsent.isEmpty || (end != nil && !hasSentEnd) }

    /// Writes a frame of what is to be sent, as large as the windows allow.
    ///
    /// - Returns: How much of the body it holds, or `nil` where a window has to be enlarged first.
    func writeFrameOfBody() -> Int? {
        guard let first = unsent.first else {
            writeEnd()
            return 0
        }
        let count = min(first.readableBytes, connection.largestFrame, sendWindow, connection.sendWindow)
        guard count > 0, let bytes = unsent[0].readSlice(length: count) else { return nil }
        if unsent[0].readableBytes == 0 { unsent.removeFirst() }
        sendWindow -= count
        if unsent.isEmpty, case .plain? = end { hasSentEnd = true }
        connection.out.writeFrameHead(.data, hasSentEnd ? [.endStream] : [], on: id, length: count)
        connection.out.writeImmutableBuffer(bytes)
        return count
    }

    private func writeEnd() {
        guard let end, !hasSentEnd else { return }
        hasSentEnd = true
        switch end {
        case .plain: connection.out.writeFrameHead(.data, [.endStream], on: id, length: 0)
        case .trailers(let fields): _ = write(fields, endStream: true)
        }
    }

    /// The network has taken so many bytes.
    func hasSent(_ count: Int) {
        running.lastProgress = .now()
        unsentBytes -= count
        if unsentBytes <= HTTP2Limits.unsentBytes / 2 { sendBody() }
    }
}
