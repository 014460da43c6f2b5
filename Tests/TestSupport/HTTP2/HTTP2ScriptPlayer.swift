import NIOCore

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

extension ScriptedHTTP2Connection {
    /// Plays a script, waits for the client to close, and closes.
    func play(_ script: HTTP2Script) async {
        do {
            try await perform(script)
            try await state.wait("the client to close", within: Self.patience) { $0.isClosedByClient }
        } catch {
            noteEnd(byClient: false)
        }
        try? await channel.closeBeneathTLS()
        try? await channel.closeFuture.get()
    }

    private func perform(_ script: HTTP2Script) async throws {
        for step in script {
            try Task.checkCancellation()
            try await perform(step)
        }
    }

    private func perform(_ step: HTTP2Step) async throws {
        switch step {
        case .receivePreface:
            try await receive("the preface") { $0.received.hasPreface && !$0.received.frames.isEmpty }
        case .receiveHead(let stream): try await take(stream, from: \.received.begun)
        case .receiveRequest(let stream): try await take(stream, from: \.received.whole)
        case .receiveBody(let stream, let count):
            let number = number(of: stream)
            try await receive("a body") { ($0.received.streams[number]?.body.count ?? 0) >= count }
        case .receiveReset(let stream):
            let number = number(of: stream)
            try await receive("a reset") { $0.received.streams[number]?.resetCode != nil }
        case .receiveFrames(let kind, let count):
            try await receive("frames") { state in state.received.frames.count { $0.kind == kind } >= count }
        case .receiveHeads(let count): try await receive("heads") { $0.received.begun.count >= count }
        case .receiveAll: try await receive("the client to close") { $0.isClosedByClient }
        case .sendOn(let stream, let frames): try await send(frames(number(of: stream)))
        case .sendBytes(let bytes): try await send(bytes)
        case .sendBody(let stream, let count, let end): try await sendBody(number(of: stream), count, end: end)
        case .close:
            noteEnd(byClient: false)
            try await channel.close(mode: .output).get()
        case .reset: try await breakOff()
        case .waitFor(let signal): try await signal.wait(within: Self.patience)
        case .fire(let signal): signal.fire()
        case .ignorePings: state.update { $0.answersPings = false }
        case .pause(let time): try await Task.sleep(for: time)
        case .stall: try await Task.sleep(for: Self.patience)
        case .repeating(let steps, let times): for _ in 0..<times { try await perform(steps) }
        }
    }

    private func number(of stream: HTTP2StreamReference) -> Int {
        if case .number(let number) = stream { number } else { state.read { $0.current } }
    }

    /// Waits for input from the client.
    ///
    /// - Throws: An error if the client closes the connection without sending it.
    private func receive(_ what: String, until isMet: @escaping @Sendable (State) -> Bool) async throws {
        try await state.wait(what, within: Self.patience) { isMet($0) || $0.isClosedByClient }
        guard state.read(isMet) else { throw ClientClosed() }
    }

    /// Waits until a list contains a stream, and makes it the current one.
    private func take(
        _ stream: HTTP2StreamReference,
        from list: @escaping @Sendable (State) -> [Int]
    ) async throws {
        let isNext = if case .next = stream { true } else { false }
        let number = number(of: stream)
        func wanted(_ state: State) -> Int? {
            list(state).first { isNext ? !state.taken.contains($0) : $0 == number }
        }
        try await receive("a stream") { state in
            list(state).contains { isNext ? !state.taken.contains($0) : $0 == number }
        }
        state.update { state in
            guard let wanted = wanted(state) else { return }
            state.current = wanted
            state.taken.insert(wanted)
        }
    }

    private func send(_ frames: [WireFrame]) async throws {
        for frame in frames where frame.endsStream { state.update { $0.answered.insert(frame.stream) } }
        try await send(frames.flatMap(\.bytes))
    }

    private func send(_ bytes: [UInt8]) async throws {
        try await channel.writeAndFlush(ByteBuffer(bytes: bytes))
    }

    private func sendBody(_ stream: Int, _ count: Int, end: Bool) async throws {
        var left = count
        while left > 0 {
            try await receive("a window") { $0.window(of: stream) > 0 }
            let size = min(left, 16_384, state.read { $0.window(of: stream) })
            left -= size
            state.update { $0.sentBodies[stream, default: 0] += size }
            let bytes = [UInt8](repeating: UInt8(ascii: "x"), count: size)
            try await send([.data(stream, bytes, end: end && left == 0)])
        }
    }

    private func breakOff() async throws {
        if let options = channel as? any SocketOptionProvider {
            try await options.setSoLinger(linger(l_onoff: 1, l_linger: 0)).get()
        }
        noteEnd(byClient: false)
        try await channel.close().get()
    }
}

extension ScriptedHTTP2Connection.State {
    /// Returns the number of bytes that may be sent on a stream: the smaller of its window and the connection's.
    fileprivate func window(of stream: Int) -> Int {
        let own = received.initialWindow + (received.streams[stream]?.credit ?? 0) - (sentBodies[stream] ?? 0)
        let shared = 65_535 + received.credit - sentBodies.values.reduce(0, +)
        return min(own, shared)
    }
}

extension WireFrame {
    fileprivate var endsStream: Bool {
        kind == .reset || ((kind == .data || kind == .headers) && has(WireFrame.endStream))
    }
}
