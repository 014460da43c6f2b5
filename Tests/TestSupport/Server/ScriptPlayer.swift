import NIOCore

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

extension ScriptedConnection {
    /// A Boolean value that indicates whether the server has closed or reset the connection.
    var isEndedByServer: Bool { state.read { $0.isClosed } }

    /// Plays a script, waits for the client to close, and closes.
    func play(_ script: Script) async {
        do {
            try await perform(script)
            try await state.wait("the client to close", within: .seconds(600)) { $0.isClosedByClient }
        } catch {
            noteEnd(byClient: false)
        }
        try? await channel.closeBeneathTLS()
        try? await channel.closeFuture.get()
    }

    private func perform(_ script: Script) async throws {
        for step in script {
            try Task.checkCancellation()
            try await perform(step)
        }
    }

    private func perform(_ step: ScriptStep) async throws {
        switch step {
        case .receiveHead: try await receive(until: Array("\r\n\r\n".utf8))
        case .receive(let text): try await receive(until: Array(text.utf8))
        case .receiveBody(let count): try await receive(count)
        case .receiveRequest: try await receiveRequest()
        case .receiveAll: try await receiveAll()
        case .sendBytes(let bytes): try await send(bytes)
        case .dripBytes(let bytes): for byte in bytes { try await send([byte]) }
        case .close: try await closeOutput()
        case .closeUncleanly: try await closeUncleanly()
        case .reset: try await reset()
        case .waitFor(let signal): try await signal.wait(within: .seconds(600))
        case .fire(let signal): signal.fire()
        case .stopReading: try await channel.setOption(.autoRead, value: false).get()
        case .resumeReading: try await channel.setOption(.autoRead, value: true).get()
        case .tunnel(let port): try await openTunnel(toPort: port)
        case .pause(let time): try await Task.sleep(for: time)
        case .stall: try await Task.sleep(for: .seconds(600))
        case .repeating(let steps, let times): for _ in 0..<times { try await perform(steps) }
        }
    }

    private func send(_ bytes: [UInt8]) async throws {
        try await channel.writeAndFlush(ByteBuffer(bytes: bytes))
        state.update { $0.sent += bytes.count }
    }

    private func closeOutput() async throws {
        noteEnd(byClient: false)
        try await channel.close(mode: .output).get()
    }

    private func closeUncleanly() async throws {
        noteEnd(byClient: false)
        try await channel.closeBeneathTLS()
    }

    private func reset() async throws {
        if let options = channel as? any SocketOptionProvider {
            try await options.setSoLinger(linger(l_onoff: 1, l_linger: 0)).get()
        }
        try await closeUncleanly()
    }
}
