import SallyportTransport

/// One call of the app, on its way through the pipeline: all that its attempts, hops and interceptors share.
struct Call: Sendable {
    /// Where the body of the response is streamed; without one it is collected in memory.
    let scope: ExchangeScope?

    /// The stage that the call is in, if it is traced.
    var trace: TracedStage?

    private let client: ClientState
    private let started = ContinuousClock.now

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

    /// The limits of time for what is sent now, so that all of the call stays within its total.
    ///
    /// - Throws: ``NetworkError/timeout(_:)`` when nothing is left of it.
    func remaining(of timeouts: Timeouts) throws(NetworkError) -> Timeouts {
        guard let total = timeouts.total else { return timeouts }
        let left = total - (ContinuousClock.now - started)
        guard left > .zero else {
            throw .timeout(
                NetworkFailure(
                    "the time for the whole call, \(total), was over before the request could be sent",
                    advice:
                        "interceptors, redirects and earlier attempts count too; raise the timeout if they need longer"
                )
            )
        }
        var remaining = timeouts
        remaining.total = left
        return remaining
    }
}

/// Whether a client has been closed, shared with the calls under way.
final class ClientState: Sendable {
    private let isClosed = Locked(false)

    func close() {
        isClosed.withLock { $0 = true }
    }

    /// - Throws: ``NetworkError/clientClosed(_:)``.
    func check() throws(NetworkError) {
        if isClosed.withLock({ $0 }) {
            throw .clientClosed(NetworkFailure("the client is closed", advice: "make a new client"))
        }
    }
}
