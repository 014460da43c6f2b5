import SallyportTransport

/// One call of the app, on its way through the pipeline: all that its attempts, hops and interceptors share.
struct Call: Sendable {
    /// Where the body of the response is streamed; without one it is collected in memory.
    let scope: ExchangeScope?

    /// The stage that the call is in, if it is traced.
    var trace: TracedStage?

    private let client: ClientState
    private let started = ContinuousClock.now
    /// When the present attempt has to end, where it has a limit of its own.
    private var attemptEnd: ContinuousClock.Instant?

    init(of client: ClientState, in scope: ExchangeScope?, trace: TracedStage? = nil) {
        self.client = client
        self.scope = scope
        self.trace = trace
    }

    /// Asked before each stage.
    ///
    /// - Throws: ``NetworkError/cancelled(_:)`` or ``NetworkError/clientClosed(_:)``.
    func check() throws(NetworkError) {
        if Task.isCancelled { throw .cancelled("the task was cancelled") }
        try client.check()
    }

    /// What is left of a total, which may be less than nothing.
    func timeLeft(of timeouts: Timeouts) -> Duration? {
        timeouts.total.map { $0 - (ContinuousClock.now - started) }
    }

    /// The same call, in an attempt that has to end in time.
    func limited(to limit: Duration) -> Call {
        let end = ContinuousClock.now + limit
        var limited = self
        limited.attemptEnd = attemptEnd.map { min($0, end) } ?? end
        return limited
    }

    /// The limits of time for what is sent now, so that all of the call stays within its total.
    ///
    /// - Throws: ``NetworkError/timeout(_:)`` when nothing is left of it.
    func remaining(of timeouts: Timeouts) throws(NetworkError) -> Timeouts {
        var remaining = timeouts
        if let total = timeouts.total, let left = timeLeft(of: timeouts) {
            if left <= .zero { throw Self.late("the time for the whole call, \(total),") }
            remaining.total = left
        }
        if let attemptEnd {
            let left = attemptEnd - .now
            if left <= .zero { throw Self.late("the time for one attempt") }
            remaining.limit(to: left, isStreamed: scope != nil)
        }
        return remaining
    }

    private static func late(_ limit: String) -> NetworkError {
        .timeout(
            NetworkFailure(
                "\(limit) was over before the request could be sent",
                advice: SettingAdvice.raiseTimeout.rawValue
            )
        )
    }

    /// Waits, until the task is cancelled or the client closed at most.
    func wait(for delay: Duration, by time: RetryTime) async throws(NetworkError) {
        do {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await time.sleep(delay) }
                group.addTask { [client] in await client.waitForClose() }
                defer { group.cancelAll() }
                try await group.next()
            }
        } catch {
            throw NetworkError(wrapping: error, reason: "the wait for the next attempt failed")
        }
        try check()
    }
}

extension Timeouts {
    /// Lets nothing take longer than a limit; of a streamed exchange nothing that comes before its body.
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
