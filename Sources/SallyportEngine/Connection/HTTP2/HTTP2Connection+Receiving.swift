import NIOCore
import NIOHTTP2
import SallyportTransport

/// What comes in, given to the streams that it is for.
extension HTTP2Connection {
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        justClosed = nil
        isReading = true
        lastHeard = .now()
        let frame = unwrapInboundIn(data)
        switch frame.payload {
        case .headers(let headers): touch(frame.streamID)?.receive(headers)
        case .data(let data): touch(frame.streamID)?.receive(data)
        case .rstStream(let code): touch(frame.streamID)?.receiveReset(code)
        case .goAway(let last, let code, _): receiveGoAway(last: last, code)
        case .settings(.settings(let settings)): receive(settings)
        default: break
        }
    }

    private func touch(_ id: HTTP2StreamID) -> HTTP2Stream? {
        guard let stream = streams[id] else { return nil }
        if !stream.isTouched {
            stream.isTouched = true
            touched.append(stream)
        }
        return stream
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        deliver()
        isReading = false
        flush()
        context.fireChannelReadComplete()
    }

    /// Gives the exchanges what was read.
    func deliver() {
        justClosed = nil
        let streams = touched
        touched = []
        for stream in streams {
            stream.isTouched = false
            stream.deliver()
        }
    }

    private func receive(_ settings: HTTP2Settings) {
        let limit = settings.last { $0.parameter == .maxConcurrentStreams }?.value
        if let limit { hasPlaces(limit) } else if !knowsPlaces { hasPlaces(HTTP2Limits.untoldPlaces) }
        knowsPlaces = true
    }

    /// The server has not seen, and will not see, the streams above the last that it names (RFC 9113, section 6.8).
    private func receiveGoAway(last: HTTP2StreamID, _ code: HTTP2ErrorCode) {
        goodbye = code
        retire()
        for stream in streams.values.sorted(by: { $0.id < $1.id }) where stream.id > last {
            stream.isClosed = true
            stream.runAgain(orFail: stream.running.resetError("the server ended the connection (\(code.name))"))
        }
        closeIfUnused()
    }

    // MARK: What NIO tells beside the frames

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case let event as NIOHTTP2WindowUpdatedEvent: updateWindow(event)
        case let event as StreamClosedEvent: streamClosed(event)
        default: context.fireUserInboundEventTriggered(event)
        }
    }

    private func updateWindow(_ event: NIOHTTP2WindowUpdatedEvent) {
        guard let size = event.inboundWindowSize else { return }
        if event.streamID != .rootStream {
            streams[event.streamID]?.window = size
        } else if size < HTTP2Limits.connectionWindow / 2 {
            write(.windowUpdate(windowSizeIncrement: HTTP2Limits.connectionWindow - size), on: .rootStream)
        }
    }

    /// A stream that both sides have ended has no reason; one with a reason was reset by the server, as a frame
    /// has said before, or by this side, or closed by NIO, whose error follows.
    private func streamClosed(_ event: StreamClosedEvent) {
        guard streams[event.streamID]?.isClosed == false, let stream = touch(event.streamID) else { return }
        stream.isClosed = true
        guard let code = event.reason, stream.running.pieces.end == nil else { return }
        justClosed = stream
        stream.running.pieces.end = .failure(.http2Violation(code.name))
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if error.isUncleanShutdown { return }
        if let error = error as? NIOHTTP2Errors.StreamError {
            touch(error.streamID)?.running.pieces.end = .failure(NetworkError(http2: error.baseError))
        } else if let stream = justClosed {
            stream.running.pieces.end = .failure(NetworkError(http2: error))
        } else {
            deliver()
            retire()
            for stream in streams.values { stream.connectionFailed(error) }
            return closeChannel()
        }
        deliver()
    }
}
