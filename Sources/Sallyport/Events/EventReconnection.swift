import Foundation
import SallyportTransport

/// The timing of an event stream's reconnections, as a value that never waits itself.
struct EventReconnection: Sendable {
    /// The number of successive failures that are allowed if neither the client nor the request has a policy.
    private static let defaultAttempts = 10
    /// The shortest wait after a connection that delivered no event.
    private static let shortestIdleWait = Duration.seconds(1)

    /// The time that the server asked for, or that of the options; never less than the shortest wait.
    var reconnectionTime: Duration {
        didSet { reconnectionTime = max(shortest, reconnectionTime) }
    }

    private let shortest: Duration
    private let longest: Duration
    private let policy: RetryPolicy
    /// The number of failures since the last event.
    private(set) var failures = 0
    /// The time of the first of these failures.
    private var failing: Duration?

    /// - Parameter policy: The policy of the request or the client.
    init(_ options: EventStreamOptions, policy: RetryPolicy?) {
        shortest = max(.zero, options.shortestReconnectionTime)
        longest = max(.zero, options.longestReconnectionTime)
        reconnectionTime = max(shortest, options.reconnectionTime)
        let backoff = RetryBackoff.exponential(base: reconnectionTime, cap: min(longest, .seconds(60)))
        self.policy = policy ?? RetryPolicy(attempts: Self.defaultAttempts, backoff: backoff)
    }

    /// The policy of a single request: this type counts the attempts instead.
    var policyOfOneAttempt: RetryPolicy {
        var policy = policy
        policy.attempts = 1
        return policy
    }

    /// Notes that an event was received.
    mutating func succeed() {
        failures = 0
        failing = nil
    }

    /// Returns a Boolean value that indicates whether a request may be sent repeatedly.
    func repeats(_ request: HttpRequest) -> Bool {
        request.body.isReplayable
            && (policy.methods.contains(request.getMethod()) || IdempotencyKey.isSet(on: request))
    }

    func covers(_ outcome: Result<HttpResponse, NetworkError>, of request: HttpRequest) -> Bool {
        policy.covers(outcome, of: request)
    }

    /// Returns the wait after a connection that the server ended.
    func waitAfterEnd(hadEvents: Bool) -> Duration {
        min(longest, hadEvents ? reconnectionTime : max(Self.shortestIdleWait, reconnectionTime))
    }

    /// Returns the wait after a failure, or the reason to give up. The wait is the one that the server asks for with
    /// `Retry-After`, or at least that after a connection without events.
    mutating func planAfterFailure(retryAfter: Duration?, at now: Duration) -> RetryPlan {
        failures += 1
        let start = failing ?? now
        failing = start
        let left = policy.longestTime.map { $0 - (now - start) }
        let plan = policy.plan(afterAttempt: failures, retryAfter: retryAfter, left: left)
        guard case .wait(let delay) = plan else { return plan }
        if let retryAfter, retryAfter > .zero { return plan }
        return .wait(max(waitAfterEnd(hadEvents: false), min(longest, reconnectionTime + delay)))
    }

    /// Returns the number of attempts as a text that follows the failure's reason.
    func note(of reason: RetryPlan.GiveUp) -> String { reason.note(attempt: failures, of: policy.attempts) }
}
