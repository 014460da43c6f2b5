import HTTPTypes
import NIOConcurrencyHelpers
import NIOCore
import SallyportTransport

/// Where exchanges wait for a connection.
protocol ExchangeQueue: AnyObject, Sendable {
    /// Called when an exchange has ended while it waited.
    func giveUp(_ exchange: Exchange)
}

/// One request on its way to one response, from the caller's wait in the pool to the body's last byte.
final class Exchange: Sendable {
    let request: OutgoingRequest
    let started: NIODeadline

    /// When the whole has to be over.
    let deadline: NIODeadline

    private let state = NIOLockedValueBox(ExchangeState())

    init(_ request: OutgoingRequest) {
        let started = NIODeadline.now()
        self.request = request
        self.started = started
        deadline = request.timeouts.total.map { started + TimeAmount($0) } ?? .distantFuture
    }

    // MARK: The caller's side

    /// Waits for the response's head.
    func head() async throws(NetworkError) -> IncomingHead {
        let outcome = await withTaskCancellationHandler {
            await withUnsafeContinuation { waiter in change { $0.awaitHead(waiter) } }
        } onCancel: {
            fail(.cancelled(NetworkFailure("the task was cancelled", phase: phase)))
        }
        synchronizeForSanitizer()
        return try outcome.get()
    }

    /// Reads the next chunk of the body, or `nil` at its end.
    func read() async throws(NetworkError) -> ByteBuffer? {
        if let (outcome, effects) = state.withLockedValue({ $0.readNow() }) {
            effects.perform(for: self)
            return try outcome.get()
        }
        let outcome = await withTaskCancellationHandler {
            await withUnsafeContinuation { waiter in change { $0.awaitChunk(waiter) } }
        } onCancel: {
            fail(.cancelled(NetworkFailure("the task was cancelled", phase: phase)))
        }
        synchronizeForSanitizer()
        return try outcome.get()
    }

    /// Waits for a carrier that has sent the head and is ready for the body.
    func carrierForUpload() async throws(NetworkError) -> any Carrier {
        let outcome = await withUnsafeContinuation { waiter in change { $0.awaitUpload(waiter) } }
        synchronizeForSanitizer()
        return try outcome.get()
    }

    /// Shows ThreadSanitizer that what happened before a continuation was resumed is visible to the task.
    ///
    /// Swift's runtime does not show it if the task did not have to wait. The side that resumes has held the lock before.
    private func synchronizeForSanitizer() {
        #if THREAD_SANITIZER
        state.withLockedValue { _ in }
        #endif
    }

    /// Ends the exchange, unless it has ended; what nobody has read is dropped.
    func fail(_ error: NetworkError) {
        change { $0.fail(error) }
    }

    var informational: [HTTPResponse] { state.withLockedValue { $0.informational } }
    var trailers: HTTPFields { state.withLockedValue { $0.trailers } }

    // MARK: The pool's side

    /// - Returns: Whether it still has to wait, or has been taken by a connection; not whether it has ended.
    func wait(in queue: any ExchangeQueue) -> Bool {
        state.withLockedValue { $0.wait(in: queue) }
    }

    // MARK: The connection's side

    var isEnded: Bool { state.withLockedValue { $0.isEnded } }
    var phase: ExchangePhase { state.withLockedValue { $0.phase } }

    func reach(_ phase: ExchangePhase) {
        state.withLockedValue { $0.reach(phase) }
    }

    func begin(on carrier: any Carrier) -> Bool {
        state.withLockedValue { $0.begin(on: carrier) }
    }

    func detach() -> Bool {
        state.withLockedValue { $0.detach() }
    }

    func allowUpload() {
        change { $0.allowUpload() }
    }

    /// - Returns: Whether the connection should go on reading.
    func receive(_ pieces: IncomingPieces) -> Bool {
        if let onInformational = request.onInformational { pieces.informational.forEach(onInformational) }
        let (effects, goesOn) = state.withLockedValue { $0.receive(pieces) }
        effects.perform(for: self)
        return goesOn
    }

    /// Whether it can be run again from its start; not without end, should every connection turn out dead.
    var canStartOver: Bool {
        state.withLockedValue { !$0.isEnded && !$0.hasStartedUpload && $0.restarts < 3 }
    }

    /// When a connection has to have taken it.
    var waitingDeadline: NIODeadline {
        min(deadline, request.timeouts.queue.map { queued + TimeAmount($0) } ?? .distantFuture)
    }

    private var queued: NIODeadline { state.withLockedValue { $0.queued } }

    /// When its wait in the pool has to end: the limit on waiting holds until a connection is being opened for it.
    var sweepDeadline: NIODeadline { phase == .queue ? waitingDeadline : deadline }

    /// Why it fails when its time is up before a connection has taken it.
    func timeoutWhileWaiting(at now: NIODeadline) -> NetworkError {
        let isTotal = deadline <= now
        let waited = Duration(now - (isTotal ? started : queued)).inSeconds
        return .timeout(
            NetworkFailure(
                isTotal
                    ? "the call took longer than its limit of \(waited)" : "no connection was free for \(waited)",
                phase: phase,
                advice: "raise the limit, or the number of connections if many calls are made at a time"
            )
        )
    }

    private func change(_ change: (inout ExchangeState) -> ExchangeState.Effects) {
        state.withLockedValue { change(&$0) }.perform(for: self)
    }
}

extension TimeAmount {
    /// A duration as NIO counts it; those beyond 292 years are cut to that.
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
    /// What every exchange ends with when the engine has been closed.
    static var closed: NetworkError { .clientClosed("the client was closed") }
}
