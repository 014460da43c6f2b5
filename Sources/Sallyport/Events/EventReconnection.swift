import Foundation
import SallyportTransport

/// The timing of an event stream's reconnections. A pure value: the caller passes the current time, and waits.
struct EventReconnection: Sendable {
    /// The number of successive failures that are allowed if neither the client nor the request has a policy.
    private static let defaultAttempts = 10
    /// The shortest wait after a connection that delivered no event.
    private static let shortestIdleWait = Duration.seconds(1)

    /// The reconnection time that the server has set, or else the one in the options; never less than the shortest wait.
    var reconnectionTime: Duration {
        didSet { reconnectionTime = max(shortest, reconnectionTime) }
    }

    private let shortest: Duration
    private let longest: Duration
    private let policy: RetryPolicy
    /// The number of failures since the last event.
    private(set) var failures = 0
    /// The time of the first of these failures.
    private var firstFailure: Duration?

    /// - Parameter policy: The policy of the request or the client.
    init(_ options: EventStreamOptions, policy: RetryPolicy?) {
        shortest = max(.zero, options.shortestReconnectionTime)
        longest = max(.zero, options.longestReconnectionTime)
        reconnectionTime = max(shortest, options.reconnectionTime)
        let backoff = RetryBackoff.exponential(base: reconnectionTime, cap: min(longest, .seconds(60)))
        self.policy = policy ?? RetryPolicy(attempts: Self.defaultAttempts, backoff: backoff)
    }

    /// The policy with a single attempt, for each request of the stream. This type counts the attempts instead.
    var singleAttemptPolicy: RetryPolicy {
        var policy = policy
        policy.attempts = 1
        return policy
    }

    /// Records that an event was received.
    mutating func succeed() {
        failures = 0
        firstFailure = nil
    }

    /// Returns a Boolean value that indicates whether a request may be sent again.
    func canRepeat(_ request: HttpRequest) -> Bool {
        request.body.isReplayable && policy.isRepeatable(request)
    }

    func covers(_ outcome: Result<HttpResponse, NetworkError>, of request: HttpRequest) -> Bool {
        policy.covers(outcome, of: request)
    }

    /// Returns the wait after a connection that the server ended.
    func waitAfterEnd(hadEvents: Bool) -> Duration {
        min(longest, hadEvents ? reconnectionTime : max(Self.shortestIdleWait, reconnectionTime))
    }

    /// Returns the wait after a failure, or the reason to give up.
    ///
    /// A `Retry-After` greater than zero is the wait. Otherwise it is the sum of the reconnection time and the policy's
    /// backoff, at most the longest wait, and at least the wait after a connection without events.
    mutating func planAfterFailure(retryAfter: Duration?, at now: Duration) -> RetryPlan {
        failures += 1
        let start = firstFailure ?? now
        firstFailure = start
        let left = policy.longestTime.map { $0 - (now - start) }
        let plan = policy.plan(afterAttempt: failures, retryAfter: retryAfter, left: left)
        guard case .wait(let delay) = plan else { return plan }
        if let retryAfter, retryAfter > .zero { return plan }
        return .wait(max(waitAfterEnd(hadEvents: false), min(longest, reconnectionTime + delay)))
    }

    /// Returns the clause about the attempts that follows an error's reason.
    func note(of reason: RetryPlan.GiveUp) -> String { reason.note(attempt: failures, of: policy.attempts) }
}
