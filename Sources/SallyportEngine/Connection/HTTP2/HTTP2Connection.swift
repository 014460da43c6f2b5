import NIOCore
import NIOHTTP2
import SallyportTransport

/// An HTTP/2 connection: many exchanges at a time, each on a stream of its own (RFC 9113).
///
/// It is the last handler of its channel's pipeline, behind NIO's HTTP/2 handler, which knows the rules of frames. All
/// state belongs to the channel's event loop.
// Sendable although it is mutable: every variable but `standing` is used on `channel.eventLoop` only, and each method
// that may be called from elsewhere goes there first.
final class HTTP2Connection: Connection, ChannelInboundHandler, Deadlined, @unchecked Sendable {
    typealias InboundIn = HTTP2Frame
    typealias OutboundOut = HTTP2Frame

    /// What the pool asks from any thread.
    private struct Standing {
        var places = HTTP2Limits.initialPlaces
        var isRetired = false
    }

    let channel: any Channel
    let origin: Origin
    var watchIndex: Int?

    let owner: any ConnectionOwner
    let watch: DeadlineWatch
    let limits: ResponseLimits
    private let connections: ConnectionLimits
    private let standing = Locked(Standing())
    /// Exchanges that it was given from any thread and has not started: those that come together go out together.
    private let arrivals = Locked<[Exchange]>([])

    private var facts: ConnectionFacts
    var fieldMemory = FieldMemory()
    var streams: [HTTP2StreamID: HTTP2Stream] = [:]
    /// Streams on which something has come since it was last delivered.
    var touched: [HTTP2Stream] = []
    /// The stream that was closed by a frame just now, whose error may follow.
    var justClosed: HTTP2Stream?
    /// Why the server ends the connection, once it has said so.
    var goodbye: HTTP2ErrorCode?
    /// Whether the server has sent its settings.
    var knowsPlaces = false
    private var nextID: HTTP2StreamID = 1
    private var idleSince = NIODeadline.now()
    private(set) var isClosing = false
    private var isUnflushed = false
    /// Whether a burst of reading is under way, at whose end what was written is sent.
    var isReading = false
    var lastHeard = NIODeadline.now()
    private var pinged: NIODeadline?

    init(
        channel: any Channel,
        origin: Origin,
        owner: any ConnectionOwner,
        watch: DeadlineWatch,
        configuration: TransportConfiguration,
        facts: ConnectionFacts
    ) {
        self.channel = channel
        self.origin = origin
        self.owner = owner
        self.watch = watch
        self.limits = configuration.responses
        self.connections = configuration.connections
        self.facts = facts
        self.facts.httpVersion = .http2
    }

    // MARK: From any thread

    var isOpen: Bool { channel.isActive && !standing.withLock { $0.isRetired } }
    var isShared: Bool { true }
    var places: Int { standing.withLock { $0.places } }

    func run(_ exchange: Exchange) {
        let isFirst = arrivals.withLock { arrivals in
            arrivals.append(exchange)
            return arrivals.count == 1
        }
        if isFirst { onLoop { $0.startArrived() } }
    }

    func close(failing reason: ClosingReason) {
        onLoop { connection in
            if reason == .clientClosed {
                for stream in connection.streams.values {
                    let phase = stream.running.exchange.phase
                    stream.fail(.clientClosed(NetworkFailure("the client was closed", phase: phase)))
                }
            }
            connection.closeChannel()
        }
    }

    func onLoop(_ work: @escaping @Sendable (HTTP2Connection) -> Void) {
        if channel.eventLoop.inEventLoop { work(self) } else { channel.eventLoop.execute { work(self) } }
    }

    // MARK: Streams

    private func startArrived() {
        let exchanges = arrivals.withLock { arrivals in
            defer { arrivals = [] }
            return arrivals
        }
        for exchange in exchanges { start(exchange) }
    }

    private func start(_ exchange: Exchange) {
        guard isOpen, !isClosing else { return owner.runElsewhere(exchange) }
        let stream = HTTP2Stream(id: nextID, exchange, on: self, facts: facts)
        let head = exchange.request.http2Head
        if !head.fitsInFrame { exchange.fail(.largeHead) }
        guard exchange.begin(on: stream) else { return owner.connectionIsFree(self) }
        streams[stream.id] = stream
        if streams.count == 1 { lastHeard = .now() }
        nextID = nextID.advanced(by: 2)
        stream.start(head)
        facts.hasCarried()
        watch.add(stream)
        watch.lookBefore(deadline)
        if nextID > HTTP2StreamID.maxID.advanced(by: -2) { retire() }
    }

    /// Takes a stream out, whose place is free then.
    func remove(_ stream: HTTP2Stream) {
        guard streams.removeValue(forKey: stream.id) != nil else { return }
        watch.remove(stream)
        if streams.isEmpty { idleSince = .now() }
        guard isOpen, !isClosing else { return closeIfUnused() }
        if streams.isEmpty { watch.lookBefore(deadline) }
        owner.connectionIsFree(self)
    }

    func hasPlaces(_ places: Int) {
        let places = min(max(places, 1), HTTP2Limits.largestPlaces)
        standing.withLock { $0.places = places }
        owner.connection(self, hasPlaces: places)
    }

    /// Lets the streams that there are come to their end, and takes no more.
    func retire() {
        standing.withLock { $0.isRetired = true }
        owner.connectionRetired(self)
    }

    func closeIfUnused() {
        if streams.isEmpty, !isOpen, !isClosing { closeChannel() }
    }

    // MARK: Frames out

    func write(_ payload: HTTP2Frame.FramePayload, on id: HTTP2StreamID, promise: EventLoopPromise<Void>? = nil) {
        channel.write(HTTP2Frame(streamID: id, payload: payload), promise: promise)
        if isUnflushed { return }
        isUnflushed = true
        if !isReading { channel.eventLoop.assumeIsolated().execute { self.flush() } }
    }

    /// Sends what was written; that happens once for all that is done in one turn of the event loop.
    func flush() {
        guard isUnflushed else { return }
        isUnflushed = false
        channel.flush()
    }

    // MARK: Ending

    func handlerAdded(context: ChannelHandlerContext) {
        watch.add(self)
        write(.windowUpdate(windowSizeIncrement: HTTP2Limits.connectionWindow - 65_535), on: .rootStream)
    }

    func channelInactive(context: ChannelHandlerContext) {
        deliver()
        isClosing = true
        // What is run elsewhere must not be given back to this connection.
        retire()
        for stream in streams.values { stream.connectionEnded() }
        watch.remove(self)
        owner.connectionClosed(self)
        context.fireChannelInactive()
    }

    func closeChannel() {
        guard !isClosing else { return }
        isClosing = true
        if channel.isActive {
            write(.goAway(lastStreamID: 0, errorCode: .noError, opaqueData: nil), on: .rootStream)
            flush()
        }
        channel.close(mode: .all, promise: nil)
    }

    // MARK: Deadlines

    var deadline: NIODeadline {
        if isClosing { return .distantFuture }
        if streams.isEmpty { return idleSince + TimeAmount(connections.idle) }
        guard let ping = connections.ping else { return .distantFuture }
        return max(lastHeard, pinged ?? lastHeard) + TimeAmount(ping)
    }

    func deadlinePassed(at now: NIODeadline) {
        if streams.isEmpty {
            if owner.connectionMayClose(self) { closeChannel() }
        } else if let pinged, pinged > lastHeard {
            // Those who wait for a place must not be given one that becomes free by this.
            retire()
            for stream in streams.values { stream.fail(.unanswered(after: Duration(now - lastHeard))) }
            closeChannel()
        } else {
            pinged = now
            write(.ping(HTTP2PingData(withInteger: 1), ack: false), on: .rootStream)
        }
    }
}

extension NetworkError {
    fileprivate static func unanswered(after silence: Duration) -> NetworkError {
        .connectionLost(
            NetworkFailure("the server was silent for \(silence.inSeconds), and has not answered a PING", phase: .head)
        )
    }
}
