import NIOCore
import SallyportTransport

/// What comes in, given to the streams that it is for.
extension HTTP2Connection {
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isClosing else { return }
        isReading = true
        lastHeard = .now()
        lastRead = lastHeard
        reader.add(unwrapInboundIn(data))
        do throws(HTTP2Violation) {
            while !isClosing, let item = try reader.next() { try receive(item) }
            reader.release()
        } catch {
            end(because: hasSettings ? error : .foreign)
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        deliver()
        isReading = false
        if mayGoOn { sendOn() }
        flush()
        context.fireChannelReadComplete()
    }

    /// Gives the exchanges what was read.
    func deliver() {
        let streams = touched
        touched = []
        for stream in streams {
            stream.isTouched = false
            stream.deliver()
        }
    }

    private func end(because violation: HTTP2Violation) {
        farewell = violation.code
        fail(violation)
    }

    /// Ends all streams and the connection, as it is broken.
    private func fail(_ error: any Error) {
        deliver()
        retire()
        for stream in streams.values { stream.connectionFailed(error) }
        closeChannel()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if !error.isUncleanShutdown { fail(error) }
    }

    // MARK: Frames

    private func receive(_ item: FrameReader.Item) throws(HTTP2Violation) {
        switch item {
        case .data(let piece, let id):
            guard hasSettings, !blocks.awaitsMore else { throw .broken("DATA amid something else") }
            try receive(piece, on: id)
        case .frame(let head, let payload):
            if !hasSettings, head.kind != .settings || head.flags.contains(.acknowledgement) { throw .foreign }
            guard head.kind == .continuation || !blocks.awaitsMore else { throw .broken("a head that is not whole") }
            try receive(head, payload)
        }
    }

    private func receive(_ head: FrameHead, _ payload: ByteBuffer) throws(HTTP2Violation) {
        switch head.kind {
        case .headers:
            try checkIsBegun(head.stream)
            if let block = try blocks.begin(head, payload) { try receive(block) }
        case .continuation:
            if let block = try blocks.add(head, payload) { try receive(block) }
        case .reset: try receiveReset(head, payload)
        case .settings: try receiveSettings(head, payload)
        case .ping: try receivePing(head, payload)
        case .goAway: try receiveGoAway(head, payload)
        case .windowUpdate: try receiveWindowUpdate(head, payload)
        case .priority:
            guard payload.readableBytes == 5 else { throw .length(of: "PRIORITY") }
            guard head.stream > 0 else { throw .broken("PRIORITY of no stream") }
            try countControl()
        case .pushPromise: throw .broken("a push that was not asked for")
        case .data, nil: break
        }
    }

    /// Nothing may come on a stream that the client has not begun (RFC 9113, section 5.1).
    private func checkIsBegun(_ id: Int) throws(HTTP2Violation) {
        guard id % 2 == 1, id < nextID else { throw .broken("a frame on stream \(id), which was not begun") }
    }

    /// The stream that something has come for, unless that has ended.
    private func touch(_ id: Int) -> HTTP2Stream? {
        guard let stream = streams[id] else { return nil }
        if !stream.isTouched {
            stream.isTouched = true
            touched.append(stream)
        }
        return stream
    }

    private func receive(_ block: FieldBlockReader.Block) throws(HTTP2Violation) {
        guard let stream = touch(block.stream) else { return }
        floods.emptyData = 0
        do throws(NetworkError) {
            try stream.receive(block.fields, ends: block.endsStream)
        } catch {
            try refuse(stream, because: error)
        }
    }

    private func receive(_ piece: FrameReader.DataPiece, on id: Int) throws(HTTP2Violation) {
        try checkIsBegun(id)
        try takeFromWindow(piece.size)
        let isOfUse = piece.bytes.readableBytes > 0 || (piece.endsStream && streams[id] != nil)
        floods.emptyData = isOfUse ? 0 : floods.emptyData + 1
        guard floods.emptyData <= HTTP2Limits.emptyFrames else { throw .flood(of: "empty DATA frames") }
        guard let stream = touch(id) else { return }
        do throws(NetworkError) {
            try stream.receive(piece)
        } catch {
            try refuse(stream, because: error)
        }
    }

    /// The connection's window is given back whatever readers do: one of them that pauses must not halt the others.
    private func takeFromWindow(_ size: Int) throws(HTTP2Violation) {
        window -= size
        guard window >= 0 else { throw .broken("more than the connection's window", .flowControlError) }
        guard window < HTTP2Limits.connectionWindow / 2 else { return }
        write { $0.writeWindowUpdate(by: HTTP2Limits.connectionWindow - window, on: 0) }
        window = HTTP2Limits.connectionWindow
    }

    private func refuse(_ stream: HTTP2Stream, because error: NetworkError) throws(HTTP2Violation) {
        stream.refuse(error)
        if floods.brokenStreams.overflows(at: lastHeard) { throw .flood(of: "broken streams") }
    }

    private func receiveReset(_ head: FrameHead, _ payload: ByteBuffer) throws(HTTP2Violation) {
        guard let code: UInt32 = payload.only() else { throw .length(of: "RST_STREAM") }
        try checkIsBegun(head.stream)
        let reason = HTTP2ErrorCode(rawValue: code)
        // This is how a server ends an upload that it has answered already (RFC 9113, section 8.1).
        if reason != .noError, floods.resets.overflows(at: lastHeard) { throw .flood(of: "RST_STREAM frames") }
        touch(head.stream)?.receiveReset(reason)
    }

    private func receivePing(_ head: FrameHead, _ payload: ByteBuffer) throws(HTTP2Violation) {
        guard let data: UInt64 = payload.only() else { throw .length(of: "PING") }
        guard head.stream == 0 else { throw .broken("PING on a stream") }
        guard !head.flags.contains(.acknowledgement) else { return }
        try countControl()
        write { $0.writePing([.acknowledgement], data) }
    }

    private func countControl() throws(HTTP2Violation) {
        if floods.controls.overflows(at: lastHeard) { throw .flood(of: "SETTINGS, PING or PRIORITY frames") }
    }

    /// The server has not seen, and will not see, the streams above the last that it names (RFC 9113, section 6.8).
    private func receiveGoAway(_ head: FrameHead, _ payload: ByteBuffer) throws(HTTP2Violation) {
        var payload = payload
        guard let (last, code) = payload.readMultipleIntegers(as: (UInt32, UInt32).self) else {
            throw .length(of: "GOAWAY")
        }
        guard head.stream == 0 else { throw .broken("GOAWAY on a stream") }
        try countControl()
        let reason = HTTP2ErrorCode(rawValue: code)
        goodbye = reason
        retire()
        let unseen = streams.values.filter { $0.id > Int(last & 0x7FFF_FFFF) }
        for stream in unseen.sorted(by: { $0.id < $1.id }) {
            stream.isClosed = true
            stream.runAgain(orFail: stream.running.resetError("the server ended the connection (\(reason.name))"))
        }
        closeIfUnused()
    }

    private func receiveWindowUpdate(_ head: FrameHead, _ payload: ByteBuffer) throws(HTTP2Violation) {
        guard let value: UInt32 = payload.only() else { throw .length(of: "WINDOW_UPDATE") }
        let increment = Int(value & 0x7FFF_FFFF)
        if head.stream == 0 {
            guard increment > 0 else { throw .broken("WINDOW_UPDATE by nothing") }
            sendWindow += increment
            guard sendWindow <= HTTP2Limits.largestWindow else { throw .largeWindow }
            mayGoOn = true
            return
        }
        try checkIsBegun(head.stream)
        guard let stream = streams[head.stream] else { return }
        stream.sendWindow += increment
        if increment > 0, stream.sendWindow <= HTTP2Limits.largestWindow { return lineUp(stream) }
        _ = touch(stream.id)
        try refuse(stream, because: .http2Violation("WINDOW_UPDATE by nothing, or beyond all windows"))
    }

    // MARK: Settings

    private func receiveSettings(_ head: FrameHead, _ payload: ByteBuffer) throws(HTTP2Violation) {
        guard head.stream == 0 else { throw .broken("SETTINGS on a stream") }
        let isAnswer = head.flags.contains(.acknowledgement)
        guard isAnswer ? payload.readableBytes == 0 : payload.readableBytes % 6 == 0 else {
            throw .length(of: "SETTINGS")
        }
        guard !isAnswer else { return }
        try countControl()
        var payload = payload
        var (places, initialWindow): (UInt32?, Int?)
        while let (number, value) = payload.readMultipleIntegers(as: (UInt16, UInt32).self) {
            guard let setting = HTTP2Setting(rawValue: number) else { continue }
            switch setting {
            case .mostStreams: places = value
            case .initialWindow:
                guard value <= HTTP2Limits.largestWindow else { throw .largeWindow }
                initialWindow = Int(value)
            default: try apply(setting, Int(value))
            }
        }
        if let initialWindow { try applyInitialWindow(initialWindow) }
        write { $0.writeFrameHead(.settings, [.acknowledgement], on: 0, length: 0) }
        if let places { hasPlaces(Int(places)) } else if !hasSettings { hasPlaces(HTTP2Limits.untoldPlaces) }
        hasSettings = true
    }

    private func apply(_ setting: HTTP2Setting, _ value: Int) throws(HTTP2Violation) {
        switch setting {
        case .tableSize:
            // A larger table than the default one is not worth its memory.
            try? encoder.setDynamicTableSize(min(value, 4096))
        case .enablePush:
            guard value == 0 else { throw .broken("a setting of a wrong value") }
        case .largestFrame:
            guard (HTTP2Limits.smallestFrame..<1 << 24).contains(value) else {
                throw .broken("a setting of a wrong value")
            }
            largestFrame = min(value, HTTP2Limits.largestFrame)
        case .mostStreams, .initialWindow, .largestHead: break
        }
    }

    private func applyInitialWindow(_ size: Int) throws(HTTP2Violation) {
        let change = size - initialSendWindow
        initialSendWindow = size
        for stream in streams.values {
            stream.sendWindow += change
            guard stream.sendWindow <= HTTP2Limits.largestWindow else { throw .largeWindow }
        }
        mayGoOn = true
    }
}

extension HTTP2Violation {
    fileprivate static var largeWindow: HTTP2Violation { .broken("a window beyond all windows", .flowControlError) }
}

extension ByteBuffer {
    /// The number that is all that there is.
    fileprivate func only<Number: FixedWidthInteger>() -> Number? {
        readableBytes == MemoryLayout<Number>.size ? getInteger(at: readerIndex) : nil
    }
}
