import DequeModule
import NIOCore
import NIOHPACK
import SallyportTransport

/// An HTTP/2 connection: many exchanges at a time, each on a stream of its own (RFC 9113).
///
/// It is the last handler of its channel's pipeline, and keeps to the rules of frames itself. All state belongs to the
/// channel's event loop.
// Sendable although it is mutable: what is not behind a lock is used on `channel.eventLoop` only, and each method that
// may be called from elsewhere goes there first.
final class HTTP2Connection: Connection, ChannelInboundHandler, Deadlined, @unchecked Sendable {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

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
    var streams: [Int: HTTP2Stream] = [:]
    var nextID = 1
    private var idleSince = NIODeadline.now()
    private(set) var isClosing = false
    /// What the server is told when the connection closes.
    var farewell = HTTP2ErrorCode.noError
    /// Why the server ends the connection, once it has said so.
    var goodbye: HTTP2ErrorCode?
    /// When the server was last heard, or began to be listened to.
    var lastHeard = NIODeadline.now()
    /// When anything was last read.
    var lastRead = NIODeadline.now()
    /// Whether the server has enlarged a window of all streams.
    var mayGoOn = false
    private var pinged: NIODeadline?

    // What comes in.
    var reader = FrameReader(largestFrame: HTTP2Limits.largestFrame)
    var blocks: FieldBlockReader
    var fieldMemory = FieldMemory()
    /// Streams on which something has come since it was last delivered.
    var touched: [HTTP2Stream] = []
    /// Whether a burst of reading is under way, at whose end what was written is sent.
    var isReading = false
    /// Whether the server has sent its settings.
    var hasSettings = false
    /// What the server may still send on all streams.
    var window = HTTP2Limits.connectionWindow
    var floods = Floods()

    // What goes out.
    var context: ChannelHandlerContext?
    var out = ByteBuffer()
    var willFlush = false
    var encoder = HPACKEncoder(allocator: ByteBufferAllocator())
    /// The largest frame that the server takes, and what it takes on a stream that begins.
    var largestFrame = HTTP2Limits.smallestFrame
    var initialSendWindow = HTTP2Limits.defaultWindow
    /// What may be sent on all streams.
    var sendWindow = HTTP2Limits.defaultWindow
    /// Streams that have a piece of a body to send, in turn.
    var line: Deque<HTTP2Stream> = []
    /// Bytes of bodies that are on their way to the network.
    var bytesUnderWay = 0

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
        blocks = FieldBlockReader(largest: configuration.responses.headBytes)
    }

    // MARK: From any thread

    var eventLoop: any EventLoop { channel.eventLoop }
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
        guard exchange.begin(on: stream) else { return owner.connectionIsFree(self) }
        stream.isLive = true
        streams[stream.id] = stream
        if streams.count == 1 { lastHeard = .now() }
        nextID += 2
        stream.start()
        guard stream.isLive else { return }
        facts.hasCarried()
        watch.add(stream)
        watch.lookBefore(deadline)
        if nextID > HTTP2Limits.largestStream { retire() }
    }

    /// Takes a stream out, whose place is free then.
    func remove(_ stream: HTTP2Stream) {
        guard stream.isLive else { return }
        stream.isLive = false
        streams[stream.id] = nil
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

    // MARK: Ending

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        watch.add(self)
        write { $0.writeGreeting(HTTP2Limits.settings(limits), window: HTTP2Limits.connectionWindow) }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        watch.remove(self)
        self.context = nil
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
            write { $0.writeGoAway(farewell) }
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
        } else if isPingUnanswered {
            // Those who wait for a place must not be given one that becomes free by this.
            retire()
            for stream in streams.values { stream.fail(.unanswered(after: Duration(now - lastHeard))) }
            closeChannel()
        } else {
            ping(at: now)
        }
    }

    /// Told when a call has waited in vain, and nothing at all has come meanwhile: the server may be gone, unnoticed.
    func wasSilent(at now: NIODeadline) {
        if isPingUnanswered { retire() } else { ping(at: now) }
    }

    private var isPingUnanswered: Bool { pinged.map { $0 > lastRead } ?? false }

    private func ping(at now: NIODeadline) {
        pinged = now
        write { $0.writePing([], 1) }
    }
}

extension NetworkError {
    fileprivate static func unanswered(after silence: Duration) -> NetworkError {
        .connectionLost(
            NetworkFailure("the server was silent for \(silence.inSeconds), and has not answered a PING", phase: .head)
        )
    }
}
