import HTTPTypes
import NIOCore
import SallyportStorage
import SallyportTransport

/// The queue of exchanges that wait for a connection: the pool.
protocol ExchangeQueue: AnyObject, Sendable {
    /// Called when an exchange has ended while it waited.
    func giveUp(_ exchange: Exchange)
}

/// A request and its response, from queuing in the pool to the last byte of the response's body.
final class Exchange: Sendable {
    let request: OutgoingRequest
    let started: NIODeadline

    /// The time at which the exchange must have ended.
    let deadline: NIODeadline

    private let state = LockedValue(ExchangeState())

    init(_ request: OutgoingRequest) {
        let started = NIODeadline.now()
        self.request = request
        self.started = started
        deadline = request.timeouts.total.map { started + TimeAmount($0) } ?? .distantFuture
    }

    // MARK: Called by the client

    /// Waits until the response's head has been received or the exchange has failed.
    nonisolated(nonsending) func waitForHead() async {
        if state.withLock({ $0.hasHeadOutcome }) { return }
        await withTaskCancellationHandler {
            await withUnsafeContinuation { waiter in change { $0.awaitHead(waiter) } }
        } onCancel: {
            fail(.cancelled(NetworkFailure("the task was cancelled", phase: phase)))
        }
    }

    /// Returns the response's head, or throws the error of the exchange, after ``waitForHead()``.
    func head() throws(NetworkError) -> ResponseHead {
        try state.withLock { $0.headOutcome }.get()
    }

    /// Returns the next chunk of the body, or `nil` at its end.
    func read() async throws(NetworkError) -> ByteBuffer? {
        if let available = readNow() { return try available.get() }
        let outcome = await withTaskCancellationHandler {
            await withUnsafeContinuation { waiter in change { $0.awaitChunk(waiter) } }
        } onCancel: {
            fail(.cancelled(NetworkFailure("the task was cancelled", phase: phase)))
        }
        synchronizeForSanitizer()
        return try outcome.get()
    }

    /// Returns the next chunk or `nil` at the end; instead of a result, returns `nil` if the caller must wait.
    // Not inlined: its local values would belong to the frame of `read`, which every waiting reader keeps.
    @inline(never)
    private func readNow() -> Result<ByteBuffer?, NetworkError>? {
        guard let (outcome, effects) = state.withLock({ $0.readNow() }) else { return nil }
        effects.perform(for: self)
        return outcome
    }

    /// Returns the rest of the body, or `nil` if the response has not been received completely or the rest is longer than a limit.
    func readRest(upTo limit: Int) -> ByteBuffer? { state.withLock { $0.readRest(upTo: limit) } }

    /// Ends the exchange with an error unless the response has been received and read completely.
    func leaveScope() {
        if state.withLock({ $0.isFinished }) { return }
        fail(.cancelled("the body was not read within the scope of its exchange"))
    }

    /// Returns the connection or stream that runs the exchange, when it has sent the head and is ready for the body.
    func carrierForUpload() async throws(NetworkError) -> any Carrier {
        let outcome = await withUnsafeContinuation { waiter in change { $0.awaitUpload(waiter) } }
        synchronizeForSanitizer()
        return try outcome.get()
    }

    /// Makes ThreadSanitizer aware that everything that happened before a continuation was resumed is visible to the
    /// task.
    ///
    /// Swift's runtime does not inform it if the task did not need to wait. The resuming side has held the lock before.
    private func synchronizeForSanitizer() {
        #if THREAD_SANITIZER
        state.withLock { _ in }
        #endif
    }

    /// Ends the exchange with an error, unless it has ended. Unread parts of the body are dropped.
    func fail(_ error: NetworkError) {
        change { $0.fail(error) }
    }

    /// Ends the exchange with an error, as its caller does not need the rest of the response. The connection may receive a short rest in
    /// order to be reused.
    func discardRest(_ error: NetworkError) {
        change { $0.fail(error, drains: true) }
    }

    /// A Boolean value that indicates whether the caller waits for the head or for a part of the body.
    var isAwaited: Bool { state.withLock { $0.isAwaited } }

    /// A Boolean value that indicates whether the response has been received completely.
    var isReceived: Bool { state.withLock { $0.isReceived } }

    var informational: [HTTPResponse] { state.withLock { $0.informational } }
    var trailers: HTTPFields { state.withLock { $0.trailers } }

    // MARK: Called by the pool

    /// Makes the exchange wait in a queue, unless a connection has begun to run it.
    ///
    /// - Returns: `false` if the exchange has ended.
    func wait(in queue: any ExchangeQueue) -> Bool {
        state.withLock { $0.wait(in: queue) }
    }

    // MARK: Called by the connection

    var isEnded: Bool { state.withLock { $0.isEnded } }
    var phase: ExchangePhase { state.withLock { $0.phase } }

    /// Records that the exchange has reached a phase.
    func reach(_ phase: ExchangePhase) {
        state.withLock { $0.reach(phase) }
    }

    /// Assigns the exchange to a connection or stream. Returns `false` if it has ended.
    ///
    /// The exchange fails if its deadline has passed. When a process that was stopped continues, a connection may be ready before
    /// the timers fire, and a request that is sent so late, such as one with a refresh token, may do harm.
    func begin(on carrier: any Carrier) -> Bool {
        let now = NIODeadline.now()
        if deadline <= now { fail(timeoutWhileWaiting(at: now)) }
        return state.withLock { $0.begin(on: carrier) }
    }

    /// Removes the exchange from its connection or stream, so that another can run it. Returns `false` if that is
    /// impossible.
    ///
    /// - Parameter afterSending: A Boolean value that indicates whether a part of the request may have been sent. The
    ///   error of the exchange then states it, even if the server claims that it has not processed the request.
    func detach(afterSending: Bool) -> Bool {
        state.withLock { $0.detach(afterSending: afterSending) }
    }

    /// Allows the upload of the body to begin.
    func allowUpload() {
        change { $0.allowUpload() }
    }

    /// Adds received parts of the response.
    ///
    /// - Returns: `false` if the connection should pause reading.
    func receive(_ parts: ResponseParts) -> Bool {
        if !parts.informational.isEmpty, let onInformational = request.onInformational {
            parts.informational.forEach(onInformational)
        }
        var effects = ExchangeState.Effects()
        let continuesReading = state.withLock { $0.receive(parts, &effects) }
        effects.perform(for: self)
        return continuesReading
    }

    /// A Boolean value that indicates whether the exchange can be run again from its start.
    ///
    /// The number of restarts is limited, because every new connection may be dead.
    var canStartOver: Bool {
        state.withLock { !$0.isEnded && !$0.hasStartedUpload && $0.restarts < 3 }
    }

    /// The time by which a connection must have begun to run the exchange.
    var waitingDeadline: NIODeadline {
        min(deadline, request.timeouts.queue.map { queued + TimeAmount($0) } ?? .distantFuture)
    }

    private var queued: NIODeadline { state.withLock { $0.queued } }

    /// The time at which the exchange's wait in the pool must end. Once a connection is being opened for the exchange,
    /// the limit on queuing does not apply.
    var sweepDeadline: NIODeadline { phase == .queue ? waitingDeadline : deadline }

    /// Returns the error for an exchange whose deadline has passed while it waited.
    func timeoutWhileWaiting(at now: NIODeadline) -> NetworkError {
        let isTotal = deadline <= now
        let limit = Quantity.time(Duration(isTotal ? deadline - started : waitingDeadline - queued))
        return .timeout(
            NetworkFailure(
                isTotal
                    ? "the call took longer than its limit of \(limit)" : "no connection was free for \(limit)",
                phase: phase,
                advice: SettingAdvice.raiseWait.rawValue
            )
        )
    }

    private func change(_ change: (inout ExchangeState) -> ExchangeState.Effects) {
        state.withLock { change(&$0) }.perform(for: self)
    }
}

extension TimeAmount {
    /// Creates a time amount from a duration, limited to about 146 years.
    init(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        let (nanoseconds, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        self =
            overflow ? .nanoseconds(.max / 2) : .nanoseconds(min(nanoseconds, .max / 2) + attoseconds / 1_000_000_000)
    }
}

extension Duration {
    init(_ amount: TimeAmount) {
        self = .nanoseconds(amount.nanoseconds)
    }
}

extension NetworkError {
    /// The error of every exchange once the engine has been closed.
    static var closed: NetworkError { .clientClosed("the client was closed") }
}
