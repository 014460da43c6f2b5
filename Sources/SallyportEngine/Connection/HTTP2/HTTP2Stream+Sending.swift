import HTTPTypes
import NIOCore
import NIOHPACK
import SallyportTransport

/// Sends a request.
extension HTTP2Stream {
    func start() {
        let request = exchange.request
        switch request.body {
        case .bytes(let data) where data.isEmpty:
            running.finishSending()
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
        case .awaitingContinue: scheduleAwaitedBody()
        }
    }

    /// Writes the head or the trailers.
    ///
    /// - Returns: `false` if the fields cannot be encoded. The exchange has then failed.
    private func write(_ fields: HPACKHeaders, endStream: Bool) -> Bool {
        do {
            try connection.write { out in
                try out.writeFields(
                    fields,
                    on: id,
                    endStream: endStream,
                    maximumFrame: connection.maximumFrame,
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

    /// Sends the body after one second to a server that ignores the expectation (RFC 9110, section 10.1.1).
    private func scheduleAwaitedBody() {
        connection.channel.eventLoop.assumeIsolated().scheduleTask(in: .seconds(1)) { [weak self] in
            guard let self, self.isLive, !self.running.hasHead else { return }
            self.sendAwaitedBody()
        }
    }

    /// Sends the body that waited for `100 Continue`, unless it is being sent.
    func sendAwaitedBody() {
        guard case .awaitingContinue(let bytes) = running.sending else { return }
        running.lastProgress = .now()
        guard let bytes else {
            running.sending = .body
            return exchange.allowUpload()
        }
        running.finishSending()
        connection.watch.check(before: deadline)
        send(bytes)
        end = .plain
        exchange.reach(.head)
    }

    /// Queues the available parts of the body until more than ``HTTP2Limits/maximumUnsentBytes`` are unsent.
    func sendBody() {
        while isLive, !isClosed, unsentBytes <= HTTP2Limits.maximumUnsentBytes, queueNextPart() {}
    }

    /// Queues the next part of the body.
    ///
    /// - Returns: `false` if none is available.
    private func queueNextPart() -> Bool {
        guard let content = running.uploadBuffer?.take() else { return false }
        running.lastProgress = .now()
        send(content.bytes)
        if content.isLast { sendEnd(content.trailers) }
        return true
    }

    private func sendEnd(_ trailers: HTTPFields?) {
        running.finishSending()
        running.uploadBuffer = nil
        connection.watch.check(before: deadline)
        exchange.reach(.head)
        end = .plain
        if let trailers, !trailers.isEmpty {
            end = .trailers(HPACKHeaders(trailers.map { ($0.name.canonicalName, $0.value) }))
        }
        connection.enqueue(self)
    }

    /// Queues bytes, which are sent when the server's windows allow it.
    private func send(_ bytes: ByteBuffer) {
        guard bytes.readableBytes > 0 else { return }
        unsentBytes += bytes.readableBytes
        unsent.append(bytes)
        connection.enqueue(self)
    }

    var hasMoreToSend: Bool { !unsent.isEmpty || (end != nil && !hasSentEnd) }

    /// Writes the next DATA frame, as large as the windows allow, or the end of the body.
    ///
    /// - Returns: The number of bytes of the body in the frame, or `nil` if the windows allow none.
    func writeDataFrame() -> Int? {
        guard let first = unsent.first else {
            writeEnd()
            return 0
        }
        let count = min(first.readableBytes, connection.maximumFrame, sendWindow, connection.sendWindow)
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

    /// Called when the network has accepted bytes of the body.
    func bytesWereWritten(_ count: Int) {
        running.lastProgress = .now()
        unsentBytes -= count
        if unsentBytes <= HTTP2Limits.maximumUnsentBytes / 2 { sendBody() }
    }
}
