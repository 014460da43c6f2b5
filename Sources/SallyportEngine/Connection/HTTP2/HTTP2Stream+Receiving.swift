import HTTPTypes
import NIOCore
import NIOHPACK
import SallyportTransport

/// How a response comes in.
extension HTTP2Stream {
    func receive(_ fields: HPACKHeaders, ends: Bool) throws(NetworkError) {
        hasReceived = true
        running.lastProgress = connection.lastHeard
        guard !hasEnded else { return }
        let limit = min(connection.limits.headFields, HTTPFields.most)
        if running.hasHead {
            guard ends else { throw .http2Violation("trailers that do not end the stream") }
            try receiveEnd(trailers: try connection.fieldMemory.trailers(fields, limit: limit))
        } else {
            try receive(try connection.fieldMemory.response(fields, limit: limit), ends: ends)
        }
    }

    private func receive(_ response: HTTPResponse, ends: Bool) throws(NetworkError) {
        if response.status.kind == .informational, response.status.code != 101 {
            guard !ends else { throw .http2Violation("an informational response cannot end a stream") }
            try running.receive(informational: response, limit: connection.limits.informationalResponses)
            if response.status.code == 100 { sendAwaitedBody() }
            return
        }
        missing = response.isBodiless(to: exchange.request.method) ? 0 : try response.announcedLength()
        try running.receive(final: response, length: ends ? 0 : missing, facts: facts)
        if ends { try receiveEnd(trailers: [:]) }
    }

    func receive(_ piece: FrameReader.DataPiece) throws(NetworkError) {
        running.lastProgress = connection.lastHeard
        window -= piece.size
        guard !hasEnded else { return }
        guard window >= 0 else { throw .http2Violation("more than the stream's window") }
        guard running.hasHead else { throw .http2Violation("a body came before its head") }
        let count = piece.bytes.readableBytes
        if let missing {
            guard count <= missing else {
                throw .invalidResponse("the response's body is longer than its Content-Length")
            }
            self.missing = missing - Int64(count)
        }
        if count > 0 { keep(piece.bytes) }
        if piece.endsStream { try receiveEnd(trailers: [:]) }
    }

    /// Copies what came, so that its reader does not keep all the memory that was read with it, and gets what one read
    /// has brought as one chunk.
    private func keep(_ bytes: ByteBuffer) {
        let last = running.pieces.chunks.count - 1
        if last >= 0, running.pieces.chunks[last].readableBytes + bytes.readableBytes <= HTTP2Limits.chunk {
            running.pieces.chunks[last].writeImmutableBuffer(bytes)
        } else {
            // What was read with it is probably more of the same.
            let following = min(connection.reader.unreadBytes, missing.map { Int(clamping: $0) } ?? .max)
            let size = min(bytes.readableBytes + following, HTTP2Limits.chunk)
            var chunk = ByteBuffer()
            chunk.reserveCapacity(max(size, bytes.readableBytes))
            chunk.writeImmutableBuffer(bytes)
            running.pieces.chunks.append(chunk)
        }
    }

    /// Gives back memory that was kept for more than came: small chunks may be many until they are read.
    private func trimLastChunk() {
        guard let last = running.pieces.chunks.last, last.storageCapacity > 2 * last.readableBytes + 1024 else {
            return
        }
        running.pieces.chunks[running.pieces.chunks.count - 1] = ByteBuffer(bytes: last.readableBytesView)
    }

    private func receiveEnd(trailers: HTTPFields) throws(NetworkError) {
        if let missing, missing > 0 { throw running.incomplete("the server ended the stream") }
        running.pieces.end = .success(trailers)
    }

    func receiveReset(_ code: HTTP2ErrorCode) {
        isClosed = true
        guard running.pieces.end == nil else { return }
        let error = running.resetError("the server reset the stream (\(code.name))")
        if code == .refusedStream, !hasReceived { return runAgain(orFail: error) }
        running.pieces.end = .failure(error)
    }

    /// Whether what came before, be it in the same read, has decided how the response ends.
    private var hasEnded: Bool { running.pieces.end != nil }

    func refuse(_ error: NetworkError) {
        running.pieces.end = .failure(error)
    }

    /// Gives the exchange what was read; once the response is whole, the place is free before its caller knows.
    func deliver() {
        trimLastChunk()
        let pieces = running.takePieces()
        guard isLive, !pieces.isEmpty else { return }
        guard let outcome = pieces.end else {
            running.isPaused = !exchange.receive(pieces)
            if !running.isPaused { openWindow() }
            return
        }
        switch outcome {
        // What is left of the request is not wanted any more (RFC 9113, section 8.1).
        case .success:
            if hasSentEnd { isClosed = true }
            leave(because: .noError)
        case .failure: leave(because: .protocolError)
        }
        _ = exchange.receive(pieces)
    }

    /// Lets the server send on, in steps that are worth a frame.
    func openWindow() {
        guard !isClosed, window < HTTP2Limits.streamWindow / 2 else { return }
        connection.write { $0.writeWindowUpdate(by: HTTP2Limits.streamWindow - window, on: id) }
        window = HTTP2Limits.streamWindow
    }
}
