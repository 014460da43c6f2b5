import HTTPTypes
import NIOCore
import NIOHPACK
import NIOHTTP2
import SallyportTransport

/// How a response comes in.
extension HTTP2Stream {
    func receive(_ frame: HTTP2Frame.FramePayload.Headers) {
        hasReceived = true
        running.lastProgress = .now()
        guard !hasEnded else { return }
        do throws(NetworkError) {
            if running.hasHead {
                try receiveEnd(trailers: try connection.fieldMemory.fields(frame.headers, limit: connection.limits.headFields))
            } else {
                let limit = connection.limits.headFields
                let response = try HTTPResponse(frame.headers, &connection.fieldMemory, limit: limit)
                try receive(response, ends: frame.endStream)
            }
        } catch {
            refuse(error)
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

    func receive(_ frame: HTTP2Frame.FramePayload.Data) {
        running.lastProgress = .now()
        guard !hasEnded, case .byteBuffer(let bytes) = frame.data else { return }
        guard running.hasHead else { return refuse(.http2Violation("a body came before its head")) }
        do throws(NetworkError) {
            if let missing {
                guard bytes.readableBytes <= missing else {
                    throw .invalidResponse("the response's body is longer than its Content-Length")
                }
                self.missing = missing - Int64(bytes.readableBytes)
            }
            if bytes.readableBytes > 0 { running.pieces.chunks.append(bytes) }
            if frame.endStream { try receiveEnd(trailers: [:]) }
        } catch {
            refuse(error)
        }
    }

    private func receiveEnd(trailers: HTTPFields) throws(NetworkError) {
        if let missing, missing > 0 { throw running.incomplete("the server ended the stream") }
        running.pieces.end = .success(trailers)
    }

    func receiveReset(_ code: NIOHTTP2.HTTP2ErrorCode) {
        isClosed = true
        guard running.pieces.end == nil else { return }
        let error = running.resetError("the server reset the stream (\(code.name))")
        if code == .refusedStream, !hasReceived { return runAgain(orFail: error) }
        running.pieces.end = .failure(error)
    }

    /// Whether what came before, be it in the same read, has decided how the response ends.
    private var hasEnded: Bool { running.pieces.end != nil }

    private func refuse(_ error: NetworkError) {
        running.pieces.end = .failure(error)
    }

    /// Gives the exchange what was read; once the response is whole, the place is free before its caller knows.
    func deliver() {
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
            if running.sending.isDone, unsentBytes == 0 { isClosed = true }
            leave(because: .noError)
        case .failure: leave(because: .protocolError)
        }
        _ = exchange.receive(pieces)
    }

    /// Lets the server send on, in steps that are worth a frame.
    func openWindow() {
        guard !isClosed, window < HTTP2Limits.streamWindow / 2 else { return }
        connection.write(.windowUpdate(windowSizeIncrement: HTTP2Limits.streamWindow - window), on: id)
        window = HTTP2Limits.streamWindow
    }
}

extension HTTPResponse {
    fileprivate init(_ headers: HPACKHeaders, _ memory: inout FieldMemory, limit: Int) throws(NetworkError) {
        guard let status = headers.first(name: ":status"), status.utf8.count == 3, let code = Int(status),
            (100...999).contains(code)
        else { throw .http2Violation("a response without a status") }
        self.init(status: Status(code: code), headerFields: try memory.fields(headers, limit: limit))
    }
}
