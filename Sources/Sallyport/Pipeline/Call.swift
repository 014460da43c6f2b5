import SallyportTransport

/// The state of one call that its attempts, redirects and interceptors share.
///
/// It is a class, because each stage has a reference to it, and copies of a structure of its size cost more.
final class Call: Sendable {
    /// The scope for streaming the response's body; `nil` if the body is collected in memory.
    let scope: ExchangeScope?

    /// The current stage, if the call is traced.
    let trace: TracedStage?

    /// The clock by which the timeouts of the call are measured.
    let clock: CallClock

    /// A Boolean value that indicates whether a collected body is also captured as it was before decoding, for a cache.
    let capturesEncodedBody: Bool

    /// Returns `true` for a response that a stage discards, as it does with a redirect. Its body need not be complete.
    let discards: (@Sendable (HttpResponse) -> Bool)?

    /// The timeouts of requests without their own. This includes requests that an interceptor sends instead of the caller's.
    let timeouts: ClientTimeouts

    private let client: ClientState
    /// The time on the call's clock at which the current attempt must end, if its time is limited.
    private let attemptEnd: Duration?

    /// Creates the state of a call that begins now.
    ///
    /// - Parameter pauses: The pauses of the clock, if the client has interceptors that can pause it.
    init(of client: ClientState, in scope: ExchangeScope?, timeouts: ClientTimeouts, pauses: CallPauses?) {
        self.client = client
        self.scope = scope
        self.timeouts = timeouts
        clock = CallClock(pauses: pauses)
        trace = nil
        capturesEncodedBody = false
        discards = nil
        attemptEnd = nil
    }

    /// Creates the state of the same call for some of its stages.
    private init(
        _ call: Call,
        trace: TracedStage? = nil,
        capturesEncodedBody: Bool? = nil,
        discards: (@Sendable (HttpResponse) -> Bool)? = nil,
        attemptEnd: Duration? = nil
    ) {
        client = call.client
        scope = call.scope
        timeouts = call.timeouts
        clock = call.clock
        self.trace = trace ?? call.trace
        self.capturesEncodedBody = capturesEncodedBody ?? call.capturesEncodedBody
        self.discards = discards ?? call.discards
        self.attemptEnd = attemptEnd ?? call.attemptEnd
    }

    /// Checks before each stage that the call may continue.
    ///
    /// - Throws: ``NetworkError/cancelled(_:)`` or ``NetworkError/clientClosed(_:)``.
    func check() throws(NetworkError) {
        if Task.isCancelled { throw .cancelled("the task was cancelled") }
        try client.check()
    }

    /// Returns the call in the stage of a trace.
    func traced(by stage: TracedStage?) -> Call {
        if stage === trace { return self }
        return Call(self, trace: stage)
    }

    /// Returns the call. If `isCapturing` is `true`, it also captures collected bodies as they were before decoding.
    func capturingEncodedBody(_ isCapturing: Bool) -> Call {
        Call(self, capturesEncodedBody: isCapturing)
    }

    /// Returns the call for a stage that discards responses. Earlier stages may discard others.
    func discarding(_ discards: @escaping @Sendable (HttpResponse) -> Bool) -> Call {
        guard let earlier = self.discards else { return Call(self, discards: discards) }
        return Call(self, discards: { discards($0) || earlier($0) })
    }

    /// Returns the remaining part of the total timeout, which may be negative; `nil` if there is no total.
    func timeLeft(of timeouts: Timeouts) -> Duration? {
        timeouts.total.map { $0 - clock.elapsed }
    }

    /// Returns the call with a limit on the current attempt.
    func limited(to limit: Duration) -> Call {
        let limitEnd = clock.elapsed + limit
        let end = attemptEnd.map { min($0, limitEnd) } ?? limitEnd
        return Call(self, attemptEnd: end)
    }

    /// Returns the timeouts for the next exchange, shortened to the time that is left for the call and the attempt.
    ///
    /// - Throws: ``NetworkError/timeout(_:)`` when no time is left.
    func remaining(of timeouts: Timeouts) throws(NetworkError) -> Timeouts {
        var remaining = timeouts
        if let total = timeouts.total, let left = timeLeft(of: timeouts) {
            if left <= .zero { throw Self.expired("the timeout of the call, \(Quantity.time(total)),") }
            remaining.total = left
        }
        if let attemptEnd {
            let left = attemptEnd - clock.elapsed
            if left <= .zero { throw Self.expired("the timeout of the attempt") }
            remaining.limit(to: left, isStreamed: scope != nil)
        }
        return remaining
    }

    private static func expired(_ limit: String) -> NetworkError {
        .timeout(
            NetworkFailure(
                "\(limit) expired before the request could be sent",
                advice: SettingAdvice.raiseTimeout.rawValue
            )
        )
    }

    /// Returns a new call of the same client that begins now.
    func background(in scope: ExchangeScope) -> Call { Call(of: client, in: scope, timeouts: timeouts, pauses: nil) }

    /// Suspends until the client is closed or the task is cancelled.
    func waitForClose() async { await client.waitForClose() }

    /// Suspends for a duration.
    ///
    /// - Throws: ``NetworkError/cancelled(_:)`` or ``NetworkError/clientClosed(_:)``, as soon as the task is cancelled or the
    ///   client closed.
    func wait(for delay: Duration, by time: TimeSource) async throws(NetworkError) {
        try await client.wait(for: delay, by: time)
    }
}

extension Timeouts {
    /// Limits the total, or each phase before the body if the exchange is streamed.
    fileprivate mutating func limit(to limit: Duration, isStreamed: Bool) {
        func shorter(_ duration: Duration?) -> Duration { duration.map { min($0, limit) } ?? limit }
        if !isStreamed {
            total = shorter(total)
            return
        }
        queue = shorter(queue)
        resolve = shorter(resolve)
        connect = shorter(connect)
        tls = shorter(tls)
        head = shorter(head)
    }
}
