import DequeModule
import NIOCore
import NIOHPACK
import SallyportStorage
import SallyportTransport

/// An HTTP/2 connection, which runs many exchanges at a time, each on its own stream (RFC 9113).
///
/// It is the last handler of its channel's pipeline, and implements the framing layer itself. All state belongs to the
/// channel's event loop.
// Sendable although it is mutable: every variable that is not protected by a lock is used on `channel.eventLoop` only,
// and each method that may be called from another thread first switches to that event loop.
final class HTTP2Connection: Connection, ChannelDuplexHandler, Deadlined, @unchecked Sendable {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = Never
    typealias OutboundOut = ByteBuffer

    /// The state that the pool reads from any thread.
    private struct Availability {
        var capacity = HTTP2Limits.initialStreams
        var isRetired = false
    }

    let channel: any Channel
    let origin: Origin
    let poolEntry: PoolEntry<any Connection>
    var watchIndex: Int?

    let owner: any ConnectionOwner
    let watch: DeadlineWatch
    let delivery: ResponseDelivery
    let limits: ResponseLimits
    private let connections: ConnectionLimits
    private let availability = Locked(Availability())
    /// The exchanges that were submitted from any thread and have not started. They are started and sent together.
    private let arrivals = Locked<[Exchange]>([])

    private var facts: ConnectionFacts
    var streams: [Int: HTTP2Stream] = [:]
    var nextID = 1
    private var idleSince = NIODeadline.now()
    private(set) var isClosing = false
    /// The error code of the GOAWAY frame that is sent when the connection closes.
    var closeCode = HTTP2ErrorCode.noError
    /// The error code of the server's GOAWAY frame, once it has been received.
    var goAwayCode: HTTP2ErrorCode?
    /// The time at which bytes were last received, or at which the connection last stopped being idle if that is later.
    var lastHeard = NIODeadline.now()
    /// The time at which bytes were last received.
    var lastRead = NIODeadline.now()
    /// A Boolean value that indicates whether the server has enlarged a window that applies to all streams.
    var needsResumption = false
    /// The time at which the last PING was sent.
    private var pinged: NIODeadline?

    // Receiving.
    var reader = FrameReader(maximumFrame: HTTP2Limits.maximumFrame)
    /// The limits of reads are the same as for HTTP/1.1 with TLS.
    var coalescing = ReadCoalescing(isSecure: true)
    var blocks: FieldBlockReader
    var fieldCache = FieldCache()
    /// The streams with input that has not been delivered to their exchanges.
    var streamsWithInput: [HTTP2Stream] = []
    /// A Boolean value that indicates whether a read cycle is in progress. Frames written during it are flushed at its
    /// end.
    var isReading = false
    /// A Boolean value that indicates whether the server has sent its settings.
    var hasSettings = false
    /// The number of bytes that the server may still send on all streams together.
    var window = HTTP2Limits.connectionWindow
    var floods = FloodCounters()

    // Sending.
    private var context: ChannelHandlerContext?
    var out = ByteBuffer()
    private var willFlush = false
    var encoder = HPACKEncoder(allocator: ByteBufferAllocator())
    /// The maximum size of a frame that the server accepts.
    var maximumFrame = HTTP2Limits.minimumFrame
    /// The number of bytes that may be sent on a new stream.
    var initialSendWindow = HTTP2Limits.defaultWindow
    /// The number of bytes that may be sent on all streams together.
    var sendWindow = HTTP2Limits.defaultWindow
    /// The streams that have a part of a body to send, in the order of their turns.
    private var sendQueue: Deque<HTTP2Stream> = []
    /// The number of bytes of bodies that have been written to the channel and not to the network.
    private var bytesBeingWritten = 0

    init(_ setup: ConnectionSetup) {
        channel = setup.channel
        origin = setup.origin
        poolEntry = PoolEntry(eventLoop: ObjectIdentifier(setup.channel.eventLoop))
        owner = setup.owner
        watch = setup.watch
        delivery = setup.delivery
        limits = setup.configuration.responses
        connections = setup.configuration.connections
        facts = setup.facts
        facts.httpVersion = .http2
        blocks = FieldBlockReader(maximumSize: setup.configuration.responses.headBytes)
    }

    // MARK: Called from any thread

    var isOpen: Bool { channel.isActive && !availability.withLock { $0.isRetired } }
    var isShared: Bool { true }
    var capacity: Int { availability.withLock { $0.capacity } }

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
        delivery.exchangeBegan()
        if streams.count == 1 { lastHeard = .now() }
        nextID += 2
        stream.start()
        guard stream.isLive else { return }
        facts.markReused()
        watch.add(stream)
        watch.check(before: deadline)
        if nextID > HTTP2Limits.maximumStreamID { retire() }
    }

    /// Removes a stream, so that the connection can run another exchange.
    func remove(_ stream: HTTP2Stream) {
        guard stream.isLive else { return }
        stream.isLive = false
        streams[stream.id] = nil
        delivery.exchangeLeft()
        watch.remove(stream)
        if streams.isEmpty { idleSince = .now() }
        guard isOpen, !isClosing else { return closeIfUnused() }
        if streams.isEmpty { watch.check(before: deadline) }
        owner.connectionIsFree(self)
    }

    /// Sets the number of streams that may be open at a time.
    func setCapacity(_ streams: Int) {
        let capacity = min(max(streams, 1), HTTP2Limits.maximumStreams)
        availability.withLock { $0.capacity = capacity }
        owner.connection(self, changedCapacityTo: capacity)
    }

    /// Stops accepting exchanges. Open streams continue.
    func retire() {
        availability.withLock { $0.isRetired = true }
        owner.connectionRetired(self)
    }

    /// Stops accepting exchanges, because the server requires HTTP/1.1 (RFC 9113, section 7).
    ///
    /// - Returns: `false` if the configuration allows HTTP/2 only, so that the connection remains in use.
    func retireForHTTP1() -> Bool {
        guard owner.connectionRequiresHTTP1(self) else { return false }
        retire()
        return true
    }

    func closeIfUnused() {
        if streams.isEmpty, !isOpen, !isClosing { closeChannel() }
    }

    // MARK: Sending

    /// Appends frames to the output.
    ///
    /// The frames of one turn of the event loop are sent together.
    func write<Outcome>(_ frames: (inout ByteBuffer) throws -> Outcome) rethrows -> Outcome {
        flushLater()
        return try frames(&out)
    }

    /// Adds a stream to the send queue, if it has a part of a body to send.
    func enqueue(_ stream: HTTP2Stream) {
        guard !stream.isQueued, stream.hasMoreToSend else { return }
        stream.isQueued = true
        sendQueue.append(stream)
        flushLater()
    }

    private func flushLater() {
        guard !willFlush else { return }
        willFlush = true
        if !isReading { channel.eventLoop.assumeIsolated().execute { self.flush() } }
    }

    func flush() {
        guard willFlush else { return }
        let sent = sendQueue.isEmpty ? [] : writeBodies()
        willFlush = false
        guard let context, out.readableBytes > 0 else { return }
        // Writing may fail at once, and frames written in response are for the next flush.
        let bytes = out
        out = ByteBuffer()
        let written = sent.isEmpty ? nil : context.eventLoop.makePromise(of: Void.self)
        written?.futureResult.assumeIsolated().whenSuccess { self.writeCompleted(sent) }
        context.writeAndFlush(wrapOutboundOut(bytes), promise: written)
    }

    /// Writes as much of the bodies as the windows allow, one frame of each stream in turn.
    ///
    /// - Returns: The number of bytes of each frame.
    private func writeBodies() -> [(stream: HTTP2Stream, count: Int)] {
        var sent: [(stream: HTTP2Stream, count: Int)] = []
        let waiting = sendQueue.reduce(0) { $0 + $1.unsentBytes }
        out.reserveCapacity(
            minimumWritableBytes: min(waiting, HTTP2Limits.maximumUnsentBytes) + HTTP2Limits.minimumFrame
        )
        while bytesBeingWritten < HTTP2Limits.maximumUnsentBytes, let stream = sendQueue.popFirst() {
            stream.isQueued = false
            guard stream.isLive, !stream.isClosed else { continue }
            // A stream that waits for a window is enqueued again when the window is enlarged.
            guard let count = stream.writeDataFrame() else { continue }
            bytesBeingWritten += count
            sendWindow -= count
            sent.append((stream, count))
            enqueue(stream)
        }
        return sent
    }

    /// Called when the network has accepted parts of bodies.
    private func writeCompleted(_ pieces: [(stream: HTTP2Stream, count: Int)]) {
        for (stream, count) in pieces {
            bytesBeingWritten -= count
            stream.bytesWereWritten(count)
        }
        // Some servers send many PINGs during an upload to measure its round-trip time.
        floods.controls = FloodCounter()
        if !sendQueue.isEmpty { flushLater() }
    }

    /// Enqueues the streams that can send again because the server has enlarged a window.
    func resumeSending() {
        needsResumption = false
        for stream in streams.values { enqueue(stream) }
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
        // An exchange that is run again must not be assigned to this connection.
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
            write { $0.writeGoAway(closeCode) }
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
            // Waiting exchanges must not be assigned to this connection when the failing streams leave it.
            retire()
            for stream in streams.values { stream.fail(.unanswered(after: Duration(now - lastHeard))) }
            closeChannel()
        } else {
            ping(at: now)
        }
    }

    /// Called when an exchange has timed out and nothing was received on the connection since it started: the server
    /// may be unreachable.
    func exchangeTimedOutInSilence(at now: NIODeadline) {
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
            NetworkFailure(
                "the server was silent for \(Quantity.time(silence)), and has not answered a PING",
                phase: .head
            )
        )
    }
}
