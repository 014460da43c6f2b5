import SallyportStorage
import SallyportTransport

/// Decides whether failed attempts are repeated, and waits for the next attempt.
///
/// Each client has one driver. Its calls, downloads, uploads and event streams share the driver's budget and hooks, and all their
/// waits end when the client closes.
package final class RetryDriver: Sendable {
    package let time: TimeSource
    private let hooks: [@Sendable (RetryEvent) -> Void]
    private let budget: RetryBudget
    private let tokens: Locked<RetryTokens>
    private let client: ClientState

    /// Creates the driver of a client.
    ///
    /// - Parameter parent: The driver of the client that this one is derived from. Both share their tokens if they have the same budget.
    init(_ configuration: HttpClientConfiguration, of client: ClientState, derivedFrom parent: RetryDriver? = nil) {
        time = configuration.retryTime
        hooks = configuration.retryHooks
        budget = configuration.retryBudget
        let shared = parent?.budget == budget ? parent?.tokens : nil
        tokens = shared ?? Locked(RetryTokens(budget, at: time.now()))
        self.client = client
    }

    /// Restores the part of a token that a successful attempt is worth.
    func recordSuccess() {
        tokens.withLock { $0.succeed(at: time.now()) }
    }

    /// Returns the plan after a failed attempt, and takes a token from the budget if the plan is another attempt.
    ///
    /// - Parameters:
    ///   - outcome: The outcome of the attempt, which may state a `Retry-After`.
    ///   - isResumption: A Boolean value that indicates whether the attempt made progress, from which the next one continues.
    ///     Such an attempt repeats nothing and needs no token.
    ///   - decide: A closure that returns the plan apart from the budget. Its parameter is the server's `Retry-After`.
    package func plan(
        after outcome: Result<HttpResponse, NetworkError>,
        isResumption: Bool = false,
        _ decide: (_ retryAfter: Duration?) -> RetryPlan
    ) -> RetryPlan {
        let retryAfter = (try? outcome.get()).flatMap { RetryAfter.wait($0, now: time.date()) }
        let plan = decide(retryAfter)
        guard case .wait = plan, !isResumption else { return plan }
        return tokens.withLock({ $0.take(at: time.now()) }) ? plan : .giveUp(.budget)
    }

    /// Calls the hooks, and suspends until the next attempt.
    ///
    /// - Throws: ``NetworkError/cancelled(_:)`` or ``NetworkError/clientClosed(_:)``, as soon as the task is cancelled or the
    ///   client closed.
    package func wait(_ event: RetryEvent) async throws(NetworkError) {
        for hook in hooks { hook(event) }
        try await client.wait(for: event.delay, by: time)
    }
}

/// A retry that is about to happen, as passed to ``HttpClientConfiguration/onRetry(_:)``.
public struct RetryEvent: Sendable {
    /// The request that is sent again.
    public let request: HttpRequest

    /// The outcome of the last attempt: a response whose body is discarded, or an error.
    public let outcome: Result<HttpResponse, NetworkError>

    /// The number of the last attempt. The first is 1.
    public let attempt: Int

    /// The wait before the next attempt.
    public let delay: Duration

    package init(request: HttpRequest, outcome: Result<HttpResponse, NetworkError>, attempt: Int, delay: Duration) {
        self.request = request
        self.outcome = outcome
        self.attempt = attempt
        self.delay = delay
    }
}
