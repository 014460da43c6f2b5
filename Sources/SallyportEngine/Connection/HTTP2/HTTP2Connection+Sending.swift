import NIOCore

/// What goes out: it is gathered, and sent once for all that is done in one turn of the event loop.
extension HTTP2Connection {
    func write<Outcome>(_ frames: (inout ByteBuffer) throws -> Outcome) rethrows -> Outcome {
        flushLater()
        return try frames(&out)
    }

    /// Puts a stream in the line of those that have a body to send.
    func lineUp(_ stream: HTTP2Stream) {
        guard !stream.isInLine, stream.hasMoreToSend else { return }
        stream.isInLine = true
        line.append(stream)
        flushLater()
    }

    func flushLater() {
        guard !willFlush else { return }
        willFlush = true
        if !isReading { channel.eventLoop.assumeIsolated().execute { self.flush() } }
    }

    func flush() {
        guard willFlush else { return }
        let sent = line.isEmpty ? [] : writeBodies()
        willFlush = false
        guard let context, out.readableBytes > 0 else { return }
        // Sending may fail at once, and what is written then is for the next time.
        let bytes = out
        out = ByteBuffer()
        let written = sent.isEmpty ? nil : context.eventLoop.makePromise(of: Void.self)
        written?.futureResult.assumeIsolated().whenSuccess { self.haveSent(sent) }
        context.writeAndFlush(wrapOutboundOut(bytes), promise: written)
    }

    /// Writes what the windows allow of the bodies, one frame of each stream after the other.
    ///
    /// - Returns: How much of which.
    private func writeBodies() -> [(stream: HTTP2Stream, count: Int)] {
        var sent: [(stream: HTTP2Stream, count: Int)] = []
        let waiting = line.reduce(0) { $0 + $1.unsentBytes }
        out.reserveCapacity(minimumWritableBytes: min(waiting, HTTP2Limits.unsentBytes) + HTTP2Limits.smallestFrame)
        while bytesUnderWay < HTTP2Limits.unsentBytes, let stream = line.popFirst() {
            stream.isInLine = false
            guard stream.isLive, !stream.isClosed else { continue }
            // One that waits for a window lines up again when that is enlarged.
            guard let count = stream.writeFrameOfBody() else { continue }
            bytesUnderWay += count
            sendWindow -= count
            sent.append((stream, count))
            lineUp(stream)
        }
        return sent
    }

    /// The network has taken pieces of bodies.
    private func haveSent(_ pieces: [(stream: HTTP2Stream, count: Int)]) {
        for (stream, count) in pieces {
            bytesUnderWay -= count
            stream.hasSent(count)
        }
        // Some servers measure the way of an upload by one PING after the other.
        floods.controls = FloodGauge()
        if !line.isEmpty { flushLater() }
    }

    /// Lets those go on whose windows the server has enlarged.
    func sendOn() {
        mayGoOn = false
        for stream in streams.values { lineUp(stream) }
    }
}
