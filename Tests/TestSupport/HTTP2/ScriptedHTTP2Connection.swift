import NIOCore

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// One connection to a scripted HTTP/2 server, and all that came in on it.
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
        /// Whether both sides have closed.
        var isOver = false
    }

    let channel: any Channel
    let state = Watched(State())

    /// How long a script waits: longer than any test, as the test's own waits have deadlines.
    static let patience = Duration.seconds(600)

    init(channel: any Channel) {
        self.channel = channel
    }

    /// Every frame received so far.
    public var frames: [WireFrame] { state.read { $0.received.frames } }

    /// The frames of a type received so far.
    public func frames(_ kind: WireFrame.Kind) -> [WireFrame] { frames.filter { $0.kind == kind } }

    /// The streams that the client has begun, in order.
    public var streams: [ReceivedStream] {
        state.read { state in state.received.begun.compactMap { state.received.streams[$0] } }
    }

    /// The numbers of the streams that the client has begun, in order.
    public var streamNumbers: [Int] { state.read { $0.received.begun } }

    /// What the client has sent on a stream.
    public func stream(_ number: Int) -> ReceivedStream {
        state.read { $0.received.streams[number] ?? ReceivedStream() }
    }

    /// How much of a body that is sent as the windows allow has been sent.
    public func sentBody(_ stream: Int) -> Int { state.read { $0.sentBodies[stream] ?? 0 } }

    /// How much the client has allowed to be sent on a stream from its beginning, by SETTINGS and WINDOW_UPDATE.
    public func allowedBody(_ stream: Int) -> Int {
        state.read { $0.received.initialWindow + ($0.received.streams[stream]?.credit ?? 0) }
    }

    /// How many streams the client had open at a time at most, counting those that the server has not ended.
    public var largestConcurrency: Int { state.read { $0.largestConcurrency } }

    /// Whether the client has closed or broken the connection.
    public var isClosedByClient: Bool { state.read { $0.isClosedByClient } }

    /// Waits until the client has closed or broken the connection.
    public func waitUntilClosedByClient(within limit: Duration = .patience) async throws {
        try await state.wait("the client to close the connection", within: limit) { $0.isClosedByClient }
    }

    /// Waits until both sides have closed the connection, whoever began.
    public func waitUntilClosed(within limit: Duration = .patience) async throws {
        try await state.wait("the connection to be closed", within: limit) { $0.isOver }
    }

    /// Waits until so many streams have been begun.
    public func waitForStreams(_ count: Int, within limit: Duration = .patience) async throws {
        try await state.wait("\(count) streams", within: limit) { $0.received.begun.count >= count }
    }

    /// Waits until the client has sent what a closure looks for on a stream.
    public func waitForStream(
        _ number: Int,
        _ what: String,
        within limit: Duration = .patience,
        until isMet: @escaping @Sendable (ReceivedStream) -> Bool
    ) async throws {
        try await state.wait(what, within: limit) { $0.received.streams[number].map(isMet) ?? false }
    }

    /// Waits until so many frames have come that a closure looks for.
    public func waitForFrame(
        _ what: String,
        count: Int = 1,
        within limit: Duration = .patience,
        where isMet: @escaping @Sendable (WireFrame) -> Bool
    ) async throws {
        try await state.wait(what, within: limit) { $0.received.frames.count(where: isMet) >= count }
    }

    /// Sends frames beside the script.
    public func send(_ frames: WireFrame...) async throws {
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
            channel.writeAndFlush(ByteBuffer(bytes: WireFrame.ping(frame.payload, isAnswer: true).bytes), promise: nil)
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
