import DequeModule
import NIOCore
import NIOHPACK
import SallyportTransport

/// One exchange on an HTTP/2 connection.
// Sendable although it is mutable: every variable is used on the connection's event loop only, and each method that
// may be called from another thread first switches to that event loop.
final class HTTP2Stream: Carrier, Deadlined, @unchecked Sendable {
    let id: Int
    let connection: HTTP2Connection
    let facts: ConnectionFacts
    private let started: NIODeadline
    var running: RunningExchange
    var watchIndex: Int?

    /// A Boolean value that indicates whether the connection still manages the stream.
    var isLive = false
    /// A Boolean value that indicates whether there is input that has not been delivered to the exchange.
    var hasInput = false
    /// A Boolean value that indicates whether neither side may send on the stream any more.
    var isClosed = false
    /// The number of bytes that the server may still send.
    var window = HTTP2Limits.streamWindow
    /// A Boolean value that indicates whether any part of the response has been received.
    var hasReceived = false
    /// The number of bytes missing from the response's body, or `nil` if its length was not announced.
    var missing: Int64?

    /// The end of a request's body.
    enum End {
        case plain
        case trailers(HPACKHeaders)
    }

    /// The parts of the body that wait for the server's windows.
    var unsent: Deque<ByteBuffer> = []
    /// The number of bytes in `unsent` and in frames that have not been written to the network.
    var unsentBytes = 0
    /// The number of bytes that may be sent.
    var sendWindow: Int
    /// The end of the body, once all of the body has been queued.
    var end: End?
    var hasSentEnd = false
    /// A Boolean value that indicates whether the stream is in the connection's send queue.
    var isQueued = false

    init(id: Int, _ exchange: Exchange, on connection: HTTP2Connection, facts: ConnectionFacts) {
        self.id = id
        self.connection = connection
        sendWindow = connection.initialSendWindow
        self.facts = facts
        running = RunningExchange(exchange, isFirst: !facts.isReused)
        started = running.lastProgress
    }

    var exchange: Exchange { running.exchange }

    // MARK: Called from any thread

    func abandon(_ exchange: Exchange) {
        onLoop { $0.leave() }
    }

    func drain(_ exchange: Exchange) {
        abandon(exchange)
    }

    func resumeReading(for exchange: Exchange) {
        onLoop { stream in
            guard stream.isLive else { return }
            stream.running.isPaused = false
            stream.running.lastProgress = .now()
            stream.connection.watch.check(before: stream.deadline)
            stream.openWindow()
        }
    }

    func send(_ body: UploadBuffer, for exchange: Exchange) {
        onLoop { stream in
            guard stream.isLive, !stream.isClosed, case .body = stream.running.sending else { return body.stop() }
            stream.running.uploadBuffer = body
            stream.sendBody()
        }
    }

    private func onLoop(_ work: @escaping @Sendable (HTTP2Stream) -> Void) {
        connection.onLoop { _ in work(self) }
    }

    // MARK: Ending

    /// Removes the stream from its connection, and resets it unless it is closed.
    func leave(because code: HTTP2ErrorCode = .cancel) {
        guard isLive else { return }
        if !isClosed, connection.channel.isActive {
            isClosed = true
            connection.write { $0.writeReset(code, on: id) }
        }
        unsent = []
        running.uploadBuffer?.stop()
        running.uploadBuffer = nil
        connection.remove(self)
    }

    func fail(_ error: NetworkError, because code: HTTP2ErrorCode = .cancel) {
        guard isLive else { return }
        leave(because: code)
        _ = exchange.receive(ResponseParts(end: .failure(error)))
    }

    /// Runs the exchange again, regardless of its method. Call this only if the server states that it has not processed
    /// the request, or if the request may be sent twice.
    ///
    /// If part of a response was received, the exchange fails instead: the server has processed the request, and the
    /// caller may already have that part.
    ///
    /// - Parameter isDead: A Boolean value that indicates whether the connection was found dead.
    func runAgain(orFail error: NetworkError, isDead: Bool = false) {
        guard isLive else { return }
        leave()
        if !hasReceived, exchange.canStartOver, exchange.detach(afterSending: true) {
            return connection.owner.startOver(exchange, isDead: isDead)
        }
        _ = exchange.receive(ResponseParts(end: .failure(error)))
    }

    /// Called when the connection has closed before the response was complete.
    func connectionEnded() {
        isClosed = true
        if mayStartOver { return runAgain(orFail: running.closedEarly(), isDead: true) }
        if let code = connection.goAwayCode, code != .noError {
            return fail(running.resetError(code, "the server ended the connection"))
        }
        fail(running.closedEarly())
    }

    /// Called when the connection has failed, because of the network or a violation of the protocol.
    func connectionFailed(_ error: any Error) {
        isClosed = true
        if let violation = error as? HTTP2Violation { return fail(violation.error) }
        if mayStartOver { return runAgain(orFail: running.broken(by: error), isDead: true) }
        fail(running.broken(by: error))
    }

    private var mayStartOver: Bool { running.mayStartOver(hasReceived: hasReceived) }

    // MARK: Deadlines

    var deadline: NIODeadline { running.deadline }

    func deadlinePassed(at now: NIODeadline) {
        if running.postpones(at: now) { return }
        if connection.lastRead < started { connection.exchangeTimedOutInSilence(at: now) }
        fail(running.timeout(at: now))
    }
}

extension RunningExchange {
    /// Returns the error for a response that the server aborted before its head or within its body.
    func resetError(_ code: HTTP2ErrorCode, _ reason: String) -> NetworkError {
        let reason = "\(reason) (\(code.name))"
        if hasHead { return incomplete(reason) }
        return .connectionLost(
            NetworkFailure(
                "\(reason) before it answered",
                phase: exchange.phase,
                advice: code == .http11Required ? SettingAdvice.http1Required.rawValue : nil
            )
        )
    }
}
