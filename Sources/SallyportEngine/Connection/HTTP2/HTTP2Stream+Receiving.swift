import HTTPTypes
import NIOCore
import NIOHPACK
import SallyportTransport

/// Receives a response.
extension HTTP2Stream {
    func receive(_ fields: HPACKHeaders, ends: Bool) throws(NetworkError) {
        hasReceived = true
        running.lastProgress = connection.lastHeard
        guard !hasEnded else { return }
        let limit = min(connection.limits.headFields, HTTPFields.maximumCount)
        if running.hasHead {
            guard ends else { throw .http2Violation("trailers that do not end the stream") }
            try receiveEnd(trailers: try connection.fieldCache.trailers(fields, limit: limit))
        } else {
            try receive(try connection.fieldCache.response(fields, limit: limit), ends: ends)
        }
    }

    private func receive(_ response: HTTPResponse, ends: Bool) throws(NetworkError) {
        if try response.isInformational() {
            guard !ends else { throw .http2Violation("an informational response cannot end a stream") }
            try running.receive(informational: response, limit: connection.limits.informationalResponses)
            if response.status.code == 100 { sendAwaitedBody() }
            return
        }
        missing = response.isBodiless(to: exchange.request.method) ? 0 : try response.announcedLength()
        running.receive(final: response, length: ends ? 0 : missing, facts: facts, at: connection.lastHeard)
        if ends { try receiveEnd(trailers: [:]) }
    }

    func receive(_ piece: FrameReader.DataPiece) throws(NetworkError) {
        window -= piece.size
        guard !hasEnded else { return }
        guard window >= 0 else { throw .http2Violation("DATA beyond the stream's window") }
        guard running.hasHead else { throw .http2Violation("a body came before its head") }
        let count = piece.bytes.readableBytes
        if let missing {
            guard count <= missing else {
                throw .invalidResponse("the response's body is longer than its Content-Length")
            }
            self.missing = missing - Int64(count)
        }
        if count > 0 {
            running.lastProgress = connection.lastHeard
            append(piece.bytes)
        }
        if piece.endsStream { try receiveEnd(trailers: [:]) }
    }

    /// Appends received bytes to the last chunk, or to a new one.
    ///
    /// They are copied, so that the reader of the body does not retain the connection's read buffer, and receives the
    /// bytes of one read as one chunk.
    private func append(_ bytes: ByteBuffer) {
        let last = running.parts.chunks.count - 1
        if last >= 0, running.parts.chunks[last].readableBytes + bytes.readableBytes <= HTTP2Limits.maximumChunk {
            running.parts.chunks[last].writeImmutableBuffer(bytes)
        } else {
            // The bytes read together with these probably belong to the same body.
            let following = min(connection.reader.unreadBytes, missing.map { Int(clamping: $0) } ?? .max)
            let size = min(bytes.readableBytes + following, HTTP2Limits.maximumChunk)
            var chunk = ByteBuffer()
            chunk.reserveCapacity(max(size, bytes.readableBytes))
            chunk.writeImmutableBuffer(bytes)
            running.parts.chunks.append(chunk)
        }
    }

    /// Releases capacity that was reserved for more bytes than were received: there may be many small unread chunks.
    private func trimLastChunk() {
        guard let last = running.parts.chunks.last, last.storageCapacity > 2 * last.readableBytes + 1024 else {
            return
        }
        running.parts.chunks[running.parts.chunks.count - 1] = ByteBuffer(bytes: last.readableBytesView)
    }

    private func receiveEnd(trailers: HTTPFields) throws(NetworkError) {
        if let missing, missing > 0 { throw running.incomplete("the server ended the stream") }
        running.parts.end = .success(trailers)
    }

    func receiveReset(_ code: HTTP2ErrorCode) {
        isClosed = true
        guard running.parts.end == nil else { return }
        let error = running.resetError(code, "the server reset the stream")
        if code == .refusedStream, !hasReceived { return runAgain(orFail: error) }
        if code == .http11Required, !hasReceived, connection.retireForHTTP1() { return runAgain(orFail: error) }
        running.parts.end = .failure(error)
    }

    /// A Boolean value that indicates whether the outcome of the response has been decided, possibly in the same read.
    private var hasEnded: Bool { running.parts.end != nil }

    func refuse(_ error: NetworkError) {
        running.parts.end = .failure(error)
    }

    /// Passes the received parts to the exchange.
    ///
    /// When the response is complete, the stream leaves its connection before the caller receives the end, so that the
    /// caller's next request can use the connection.
    func deliver() {
        trimLastChunk()
        let parts = running.takeParts()
        guard isLive, !parts.isEmpty else { return }
        guard let outcome = parts.end else {
            running.isPaused = !exchange.receive(parts)
            if !running.isPaused { openWindow() }
            return
        }
        switch outcome {
        // The rest of the request is no longer needed (RFC 9113, section 8.1).
        case .success:
            if hasSentEnd { isClosed = true }
            leave(because: .noError)
        case .failure: leave(because: .protocolError)
        }
        connection.delivery.deliver(parts, to: exchange)
    }

    /// Enlarges the stream's window again, once half of it is used.
    func openWindow() {
        guard !isClosed, window < HTTP2Limits.streamWindow / 2 else { return }
        connection.write { $0.writeWindowUpdate(by: HTTP2Limits.streamWindow - window, on: id) }
        window = HTTP2Limits.streamWindow
    }
}
