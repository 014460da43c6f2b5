import DequeModule
import NIOCore
import NIOHPACK
import SallyportTransport

/// One exchange on an HTTP/2 connection.
// Sendable although it is mutable: every variable is used on the connection's event loop only, and each method that
// may be called from elsewhere goes there first.
final class HTTP2Stream: Carrier, Deadlined, @unchecked Sendable {
    let id: Int
    let connection: HTTP2Connection
    let facts: ConnectionFacts
    private let begun: NIODeadline
    var running: RunningExchange
    var watchIndex: Int?

    /// Whether the connection has it.
    var isLive = false
    /// Whether something has come that the exchange has not been given.
    var isTouched = false
    /// Whether neither side may send on it any more.
    var isClosed = false
    /// What the server may still send.
    var window = HTTP2Limits.streamWindow
    /// Whether anything of the response has come.
    var hasReceived = false
    /// What the response's body still lacks of its announced length.
    var missing: Int64?

    /// How a body ends, once all of it has been given.
    enum End {
        case plain
        case trailers(HPACKHeaders)
    }

    /// What waits for the server's windows.
    var unsent: Deque<ByteBuffer> = []
    /// The size of that, and of what is on its way to the network.
    var unsentBytes = 0
    /// What may be sent.
    var sendWindow: Int
    var end: End?
    var hasSentEnd = false
    /// Whether the connection will send a piece of its body when its turn comes.
    var isInLine = false

    init(id: Int, _ exchange: Exchange, on connection: HTTP2Connection, facts: ConnectionFacts) {
        self.id = id
        self.connection = connection
        sendWindow = connection.initialSendWindow
        self.facts = facts
        running = RunningExchange(exchange, isFirst: !facts.isReused)
        begun = running.lastProgress
    }

    var exchange: Exchange { running.exchange }

    // MARK: From any thread

    func abandon(_ exchange: Exchange) {
        onLoop { $0.leave() }
    }

    func resumeReading(for exchange: Exchange) {
        onLoop { stream in
            guard stream.isLive else { return }
            stream.running.isPaused = false
            stream.running.lastProgress = .now()
            stream.connection.watch.lookBefore(stream.deadline)
            stream.openWindow()
        }
    }

    func send(_ body: Outbox, for exchange: Exchange) {
        onLoop { stream in
            guard stream.isLive, !stream.isClosed, case .body = stream.running.sending else { return body.stop() }
            stream.running.outbox = body
            stream.sendBody()
        }
    }

    private func onLoop(_ work: @escaping @Sendable (HTTP2Stream) -> Void) {
        connection.onLoop { _ in work(self) }
    }

    // MARK: Ending

    /// Takes the stream off its connection, and tells the server if it does not know.
    func leave(because code: HTTP2ErrorCode = .cancel) {
        guard isLive else { return }
        if !isClosed, connection.channel.isActive {
            isClosed = true
            connection.write { $0.writeReset(code, on: id) }
        }
        unsent = []
        running.outbox?.stop()
        running.outbox = nil
        connection.remove(self)
    }

    func fail(_ error: NetworkError, because code: HTTP2ErrorCode = .cancel) {
        guard isLive else { return }
        leave(because: code)
        _ = exchange.receive(IncomingPieces(end: .failure(error)))
    }

    /// The server has not acted on the request: it can be run again, whatever its method. One that has
    /// answered all the same is not believed: the caller may have a part of the answer.
    ///
    /// - Parameter isDead: Whether the connection was found dead.
    func runAgain(orFail error: NetworkError, isDead: Bool = false) {
        guard isLive else { return }
        leave()
        if !hasReceived, exchange.canStartOver, exchange.detach() {
            return connection.owner.startOver(exchange, isDead: isDead)
        }
        _ = exchange.receive(IncomingPieces(end: .failure(error)))
    }

    /// The connection has closed before the response was whole.
    func connectionEnded() {
        isClosed = true
        if mayStartOver { return runAgain(orFail: running.closedEarly(), isDead: true) }
        if let code = connection.goodbye, code != .noError {
            return fail(running.resetError("the server ended the connection (\(code.name))"))
        }
        fail(running.closedEarly())
    }

    /// The connection is broken, be it by the network or because the server does not keep to the rules.
    func connectionFailed(_ error: any Error) {
        isClosed = true
        if let violation = error as? HTTP2Violation { return fail(violation.error) }
        if mayStartOver { return runAgain(orFail: running.broken(by: error), isDead: true) }
        fail(running.broken(by: error))
    }

    /// The stale-connection rule (RFC 9112, section 9.3.1) holds for HTTP/2 as well.
    private var mayStartOver: Bool {
        !running.isFirst && !hasReceived && exchange.request.isIdempotent && exchange.canStartOver
    }

    // MARK: Deadlines

    var deadline: NIODeadline { running.deadline }

    func deadlinePassed(at now: NIODeadline) {
        if connection.lastRead < begun { connection.wasSilent(at: now) }
        fail(running.timeout(at: now))
    }
}

extension RunningExchange {
    /// The server gave up the response: before its head, or amid its body.
    func resetError(_ reason: String) -> NetworkError {
        if hasHead { return incomplete(reason) }
        return .connectionLost(NetworkFailure("\(reason) before it answered", phase: exchange.phase))
    }
}
