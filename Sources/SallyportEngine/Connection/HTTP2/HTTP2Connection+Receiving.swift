import NIOCore
import SallyportTransport

/// Receives frames and passes them to their streams.
extension HTTP2Connection {
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isClosing else { return }
        isReading = true
        lastHeard = .now()
        lastRead = lastHeard
        let bytes = unwrapInboundIn(data)
        coalescing.add(bytes)
        reader.add(bytes)
        do throws(HTTP2Violation) {
            while !isClosing, let item = try reader.next() { try receive(item) }
            reader.release()
        } catch {
            end(because: hasSettings ? error : .notHTTP2)
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        let missing = streamsWithInput.reduce(0) { max($0, $1.missing ?? 0) }
        coalescing.readCompleted(at: lastHeard, missing: missing)
        deliver()
        isReading = false
        if needsResumption { resumeSending() }
        flush()
        context.fireChannelReadComplete()
    }

    func read(context: ChannelHandlerContext) {
        if coalescing.takeDelay() { ReadCoalescing.readLater(on: channel) } else { context.read() }
    }

    /// Passes the received input to the exchanges.
    func deliver() {
        let streams = streamsWithInput
        streamsWithInput = []
        for stream in streams {
            stream.hasInput = false
            stream.deliver()
        }
    }

    private func end(because violation: HTTP2Violation) {
        closeCode = violation.code
        fail(violation)
    }

    /// Ends all streams and the connection after an error.
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
            guard hasSettings, !blocks.awaitsMore else { throw .broken("DATA within a head, or before SETTINGS") }
            try receive(piece, on: id)
        case .frame(let head, let payload):
            if !hasSettings, head.kind != .settings || head.flags.contains(.acknowledgement) { throw .notHTTP2 }
            guard head.kind == .continuation || !blocks.awaitsMore else { throw .broken("another frame within a head") }
            try receive(head, payload)
        }
    }

    private func receive(_ head: FrameHead, _ payload: ByteBuffer) throws(HTTP2Violation) {
        switch head.kind {
        case .headers:
            try checkIsOpened(head.stream)
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
            guard head.stream > 0 else { throw .broken("PRIORITY on stream 0") }
            try countControl()
        case .pushPromise: throw .broken("PUSH_PROMISE although push is disabled")
        case .data, nil: break
        }
    }

    /// Throws an error for a frame on a stream that the client has not opened (RFC 9113, section 5.1).
    private func checkIsOpened(_ id: Int) throws(HTTP2Violation) {
        guard id % 2 == 1, id < nextID else { throw .broken("a frame on stream \(id), which was not opened") }
    }

    /// Returns the stream that received input, unless it has ended, and marks it for delivery.
    private func markInput(of id: Int) -> HTTP2Stream? {
        guard let stream = streams[id] else { return nil }
        if !stream.hasInput {
            stream.hasInput = true
            streamsWithInput.append(stream)
        }
        return stream
    }

    private func receive(_ block: FieldBlockReader.Block) throws(HTTP2Violation) {
        guard let stream = markInput(of: block.stream) else { return }
        floods.emptyData = 0
        do throws(NetworkError) {
            try stream.receive(block.fields, ends: block.endsStream)
        } catch {
            try refuse(stream, because: error)
        }
    }

    private func receive(_ piece: FrameReader.DataPiece, on id: Int) throws(HTTP2Violation) {
        try checkIsOpened(id)
        try takeFromWindow(piece.size)
        let isMeaningful = piece.bytes.readableBytes > 0 || (piece.endsStream && streams[id] != nil)
        floods.emptyData = isMeaningful ? 0 : floods.emptyData + 1
        guard floods.emptyData <= HTTP2Limits.maximumEmptyFrames else { throw .flood(of: "empty DATA frames") }
        guard let stream = markInput(of: id) else { return }
        do throws(NetworkError) {
            try stream.receive(piece)
        } catch {
            try refuse(stream, because: error)
        }
    }

    /// Subtracts received bytes from the connection's window.
    ///
    /// The window is enlarged again even if a body is not read, so that a paused exchange does not block the others.
    private func takeFromWindow(_ size: Int) throws(HTTP2Violation) {
        window -= size
        guard window >= 0 else { throw .broken("DATA beyond the connection's window", .flowControlError) }
        guard window < HTTP2Limits.connectionWindow / 2 else { return }
        write { $0.writeWindowUpdate(by: HTTP2Limits.connectionWindow - window, on: 0) }
        window = HTTP2Limits.connectionWindow
    }

    private func refuse(_ stream: HTTP2Stream, because error: NetworkError) throws(HTTP2Violation) {
        stream.refuse(error)
        if floods.brokenStreams.overflows(at: lastHeard) { throw .flood(of: "broken streams") }
    }

    private func receiveReset(_ head: FrameHead, _ payload: ByteBuffer) throws(HTTP2Violation) {
        guard let code: UInt32 = payload.onlyInteger() else { throw .length(of: "RST_STREAM") }
        try checkIsOpened(head.stream)
        let reason = HTTP2ErrorCode(rawValue: code)
        // A server may stop an upload with NO_ERROR after a complete response (RFC 9113, section 8.1).
        if reason != .noError, floods.resets.overflows(at: lastHeard) { throw .flood(of: "RST_STREAM frames") }
        markInput(of: head.stream)?.receiveReset(reason)
    }

    private func receivePing(_ head: FrameHead, _ payload: ByteBuffer) throws(HTTP2Violation) {
        guard let data: UInt64 = payload.onlyInteger() else { throw .length(of: "PING") }
        guard head.stream == 0 else { throw .broken("PING on a stream") }
        guard !head.flags.contains(.acknowledgement) else { return }
        try countControl()
        write { $0.writePing([.acknowledgement], data) }
    }

    private func countControl() throws(HTTP2Violation) {
        if floods.controls.overflows(at: lastHeard) { throw .flood(of: "SETTINGS, PING or PRIORITY frames") }
    }

    /// Restarts the exchanges on streams above the last one named in GOAWAY: the server has not processed and will not
    /// process them (RFC 9113, section 6.8).
    private func receiveGoAway(_ head: FrameHead, _ payload: ByteBuffer) throws(HTTP2Violation) {
        var payload = payload
        guard let (last, code) = payload.readMultipleIntegers(as: (UInt32, UInt32).self) else {
            throw .length(of: "GOAWAY")
        }
        guard head.stream == 0 else { throw .broken("GOAWAY on a stream") }
        try countControl()
        let reason = HTTP2ErrorCode(rawValue: code)
        goAwayCode = reason
        let mayRunAgain = reason != .http11Required || owner.connectionRequiresHTTP1(self)
        retire()
        let unseen = streams.values.filter { $0.id > Int(last & 0x7FFF_FFFF) }
        for stream in unseen.sorted(by: { $0.id < $1.id }) {
            stream.isClosed = true
            let error = stream.running.resetError(reason, "the server ended the connection")
            if mayRunAgain { stream.runAgain(orFail: error) } else { stream.fail(error) }
        }
        closeIfUnused()
    }

    private func receiveWindowUpdate(_ head: FrameHead, _ payload: ByteBuffer) throws(HTTP2Violation) {
        guard let value: UInt32 = payload.onlyInteger() else { throw .length(of: "WINDOW_UPDATE") }
        let increment = Int(value & 0x7FFF_FFFF)
        if head.stream == 0 {
            guard increment > 0 else { throw .broken("WINDOW_UPDATE with an increment of 0") }
            sendWindow += increment
            guard sendWindow <= HTTP2Limits.maximumWindow else { throw .largeWindow }
            needsResumption = true
            return
        }
        try checkIsOpened(head.stream)
        guard let stream = streams[head.stream] else { return }
        stream.sendWindow += increment
        if increment > 0, stream.sendWindow <= HTTP2Limits.maximumWindow { return enqueue(stream) }
        _ = markInput(of: stream.id)
        try refuse(
            stream,
            because: .http2Violation("WINDOW_UPDATE with an increment of 0, or beyond the maximum window")
        )
    }

    // MARK: Settings

    private func receiveSettings(_ head: FrameHead, _ payload: ByteBuffer) throws(HTTP2Violation) {
        guard head.stream == 0 else { throw .broken("SETTINGS on a stream") }
        let isAcknowledgement = head.flags.contains(.acknowledgement)
        guard isAcknowledgement ? payload.readableBytes == 0 : payload.readableBytes % 6 == 0 else {
            throw .length(of: "SETTINGS")
        }
        guard !isAcknowledgement else { return }
        try countControl()
        var payload = payload
        var (streams, initialWindow): (UInt32?, Int?)
        while let (number, value) = payload.readMultipleIntegers(as: (UInt16, UInt32).self) {
            guard let setting = HTTP2Setting(rawValue: number) else { continue }
            switch setting {
            case .maximumStreams: streams = value
            case .initialWindow:
                guard value <= HTTP2Limits.maximumWindow else { throw .largeWindow }
                initialWindow = Int(value)
            default: try apply(setting, Int(value))
            }
        }
        if let initialWindow { try applyInitialWindow(initialWindow) }
        write { $0.writeFrameHead(.settings, [.acknowledgement], on: 0, length: 0) }
        if let streams { setCapacity(Int(streams)) } else if !hasSettings { setCapacity(HTTP2Limits.defaultStreams) }
        hasSettings = true
    }

    private func apply(_ setting: HTTP2Setting, _ value: Int) throws(HTTP2Violation) {
        switch setting {
        case .tableSize:
            // A table larger than the default is not worth its memory.
            try? encoder.setDynamicTableSize(min(value, 4096))
        case .enablePush:
            guard value == 0 else { throw .broken("a setting with an invalid value") }
        case .maximumFrame:
            guard (HTTP2Limits.minimumFrame..<1 << 24).contains(value) else {
                throw .broken("a setting with an invalid value")
            }
            maximumFrame = min(value, HTTP2Limits.maximumFrame)
        case .maximumStreams, .initialWindow, .maximumHead: break
        }
    }

    private func applyInitialWindow(_ size: Int) throws(HTTP2Violation) {
        let change = size - initialSendWindow
        initialSendWindow = size
        for stream in streams.values {
            stream.sendWindow += change
            guard stream.sendWindow <= HTTP2Limits.maximumWindow else { throw .largeWindow }
        }
        needsResumption = true
    }
}

extension HTTP2Violation {
    fileprivate static var largeWindow: HTTP2Violation {
        .broken("a window larger than the maximum", .flowControlError)
    }
}

extension ByteBuffer {
    /// Returns the integer that is the only content of the buffer, or `nil` if the buffer has another length.
    fileprivate func onlyInteger<Number: FixedWidthInteger>() -> Number? {
        readableBytes == MemoryLayout<Number>.size ? getInteger(at: readerIndex) : nil
    }
}
