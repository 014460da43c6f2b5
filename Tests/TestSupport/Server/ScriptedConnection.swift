import Foundation
import NIOCore

/// A connection to a scripted server, with the received bytes.
public final class ScriptedConnection: RecordedConnection {
    struct State: Sendable {
        var received: [UInt8] = []
        /// The number of bytes that the script has consumed.
        var cursor = 0
        /// The number of bytes that a search has examined without success.
        var searched = 0
        var sent = 0
        var isClosedByClient = false
        var isClosed = false
        var onEnd: (@Sendable () -> Void)?
        /// The other end of a tunnel.
        var tunnelEnd: (any Channel)?
    }

    let channel: any Channel
    let state = Watched(State())

    init(channel: any Channel) {
        self.channel = channel
    }

    /// Every byte received so far (after TLS, if there is any).
    public var received: [UInt8] { state.read { $0.received } }

    /// The received bytes as text.
    public var receivedText: String { String(decoding: received, as: UTF8.self) }

    /// The number of bytes received so far.
    public var receivedCount: Int { state.read { $0.received.count } }

    /// The number of bytes that the server has written to the network.
    public var sentCount: Int { state.read { $0.sent } }

    /// A Boolean value that indicates whether the client has closed or reset the connection.
    public var isClosedByClient: Bool { state.read { $0.isClosedByClient } }

    /// The requests received so far, of which the last may be incomplete.
    public var requests: [ReceivedRequest] { ReceivedRequest.all(in: received) }

    /// Waits until a text has been received.
    public func waitUntilReceived(_ text: String, within limit: Duration = .patience) async throws {
        let bytes = Array(text.utf8)
        try await state.wait("\"\(text)\" to be received", within: limit) { state in
            state.received.position(of: bytes, from: 0) != nil
        }
    }

    /// Waits until a number of bytes have been received.
    public func waitUntilReceived(count: Int, within limit: Duration = .patience) async throws {
        try await state.wait("\(count) bytes to be received", within: limit) { $0.received.count >= count }
    }

    /// Waits until the client has closed or reset the connection.
    public func waitUntilClosedByClient(within limit: Duration = .patience) async throws {
        try await state.wait("the client to close the connection", within: limit) { $0.isClosedByClient }
    }

    /// Registers an action that is performed once, when either side has closed the connection.
    func onEnd(_ action: @escaping @Sendable () -> Void) {
        let hasEnded = state.update { state in
            if state.isClosedByClient || state.isClosed { return true }
            state.onEnd = action
            return false
        }
        if hasEnded { action() }
    }

    func noteReceived(_ bytes: ByteBuffer) {
        let tunnelEnd = state.update { state in
            state.received.append(contentsOf: bytes.readableBytesView)
            return state.tunnelEnd
        }
        tunnelEnd?.writeAndFlush(bytes, promise: nil)
    }

    func noteEnd(byClient: Bool) {
        let action = state.update { state in
            if byClient { state.isClosedByClient = true } else { state.isClosed = true }
            defer { state.onEnd = nil }
            return state.onEnd
        }
        action?()
    }

    func noteOver() {
        noteEnd(byClient: !isEndedByServer)
    }
}

extension [UInt8] {
    /// Returns the first position of a pattern, at or after a position.
    func position(of pattern: [UInt8], from start: Int) -> Int? {
        guard let first = pattern.first, count >= pattern.count else { return nil }
        var index = Swift.max(start, 0)
        while index <= count - pattern.count {
            guard let next = self[index...(count - pattern.count)].firstIndex(of: first) else { return nil }
            if self[next..<(next + pattern.count)].elementsEqual(pattern) { return next }
            index = next + 1
        }
        return nil
    }
}
