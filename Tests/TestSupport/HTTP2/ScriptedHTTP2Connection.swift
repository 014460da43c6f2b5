import NIOCore

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A connection to a scripted HTTP/2 server, with the received frames.
public final class ScriptedHTTP2Connection: RecordedConnection {
    struct State: Sendable {
        var received = ReceivedFrames()
        var taken: Set<Int> = []
        var current = 0
        var sentBodies: [Int: Int] = [:]
        /// The streams that the server has ended.
        var answered: Set<Int> = []
        var largestConcurrency = 0
        var answersPings = true
        var isClosedByClient = false
        var isClosed = false
        /// A Boolean value that indicates whether both sides have closed the connection.
        var isOver = false
    }

    let channel: any Channel
    let state = Watched(State())

    /// The maximum wait of a script, which exceeds the duration of any test, as the test's own waits have deadlines.
    static let patience = Duration.seconds(600)

    init(channel: any Channel) {
        self.channel = channel
    }

    /// Every frame received so far.
    public var frames: [WireFrame] { state.read { $0.received.frames } }

    /// The frames of a type received so far.
    public func frames(_ kind: WireFrame.Kind) -> [WireFrame] { frames.filter { $0.kind == kind } }

    /// The streams that the client has opened, in order.
    public var streams: [ReceivedStream] {
        state.read { state in state.received.begun.compactMap { state.received.streams[$0] } }
    }

    /// The identifiers of the streams that the client has opened, in order.
    public var streamNumbers: [Int] { state.read { $0.received.begun } }

    /// Returns the input on a stream.
    public func stream(_ number: Int) -> ReceivedStream {
        state.read { $0.received.streams[number] ?? ReceivedStream() }
    }

    /// Returns the number of bytes sent of a body that is limited by the windows.
    public func sentBody(_ stream: Int) -> Int { state.read { $0.sentBodies[stream] ?? 0 } }

    /// Returns the total number of bytes that the client has allowed on a stream, by SETTINGS and WINDOW_UPDATE.
    public func allowedBody(_ stream: Int) -> Int {
        state.read { $0.received.initialWindow + ($0.received.streams[stream]?.credit ?? 0) }
    }

    /// The maximum number of streams that were open at a time, counting those that the server has not ended.
    public var largestConcurrency: Int { state.read { $0.largestConcurrency } }

    /// A Boolean value that indicates whether the client has closed or reset the connection.
    public var isClosedByClient: Bool { state.read { $0.isClosedByClient } }

    /// Waits until the client has closed or reset the connection.
    public func waitUntilClosedByClient(within limit: Duration = .patience) async throws {
        try await state.wait("the client to close the connection", within: limit) { $0.isClosedByClient }
    }

    /// Waits until both sides have closed the connection.
    public func waitUntilClosed(within limit: Duration = .patience) async throws {
        try await state.wait("the connection to be closed", within: limit) { $0.isOver }
    }

    /// Waits until a number of streams have been opened.
    public func waitForStreams(_ count: Int, within limit: Duration = .patience) async throws {
        try await state.wait("\(count) streams", within: limit) { $0.received.begun.count >= count }
    }

    /// Waits until the input on a stream meets a condition.
    public func waitForStream(
        _ number: Int,
        _ what: String,
        within limit: Duration = .patience,
        until isMet: @escaping @Sendable (ReceivedStream) -> Bool
    ) async throws {
        try await state.wait(what, within: limit) { $0.received.streams[number].map(isMet) ?? false }
    }

    /// Waits until a number of frames that meet a condition have been received.
    public func waitForFrame(
        _ what: String,
        count: Int = 1,
        within limit: Duration = .patience,
        where isMet: @escaping @Sendable (WireFrame) -> Bool
    ) async throws {
        try await state.wait(what, within: limit) { $0.received.frames.count(where: isMet) >= count }
    }

    /// Sends frames in addition to the script, after the client has acknowledged the settings.
    ///
    /// A client may send a request before it has the settings, which must be the first frame that it receives.
    public func send(_ frames: WireFrame...) async throws {
        try await waitForFrame("the acknowledgement of the settings") {
            $0.kind == .settings && $0.has(WireFrame.acknowledgement)
        }
        try await channel.writeAndFlush(ByteBuffer(bytes: frames.flatMap(\.bytes)))
    }

    func noteReceived(_ bytes: ByteBuffer) {
        let (new, answersPings) = state.update { state in
            let new = state.received.append(bytes.readableBytesView)
            let open = state.received.begun.count { !state.answered.contains($0) }
            state.largestConcurrency = max(state.largestConcurrency, open)
            return (new, state.answersPings)
        }
        for frame in new where frame.kind == .ping && !frame.has(WireFrame.acknowledgement) && answersPings {
            let acknowledgement = WireFrame.ping(frame.payload, isAcknowledgement: true)
            channel.writeAndFlush(ByteBuffer(bytes: acknowledgement.bytes), promise: nil)
        }
    }

    func noteEnd(byClient: Bool) {
        state.update { state in
            if byClient { state.isClosedByClient = true } else { state.isClosed = true }
        }
    }

    func noteOver() {
        state.update { state in
            if !state.isClosed { state.isClosedByClient = true }
            state.isOver = true
        }
    }
}
