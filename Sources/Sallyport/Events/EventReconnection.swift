import Foundation
import SallyportTransport

/// When to connect again: the timing of an event stream, apart from all that takes time.
struct EventReconnection: Sendable {
    /// How often a stream may fail in succession where neither the client nor the request says.
    private static let defaultAttempts = 10
    /// The least wait after a connection that brought nothing, so that a server cannot make us ask without pause.
    private static let shortestIdleWait = Duration.seconds(1)

    /// What the server has asked for, or else what the options say.
    var reconnectionTime: Duration {
        didSet { reconnectionTime = max(.zero, reconnectionTime) }
    }

    private let longest: Duration
    private let policy: RetryPolicy
    /// How often it has failed since the last event.
    private(set) var failures = 0
    /// When it failed first.
    private var failing: Duration?

    /// - Parameter policy: That of the request or the client.
    init(_ options: EventStreamOptions, policy: RetryPolicy?) {
        reconnectionTime = max(.zero, options.reconnectionTime)
        longest = max(.zero, options.longestReconnectionTime)
        let backoff = RetryBackoff.exponential(base: reconnectionTime, cap: min(longest, .seconds(60)))
        self.policy = policy ?? RetryPolicy(attempts: Self.defaultAttempts, backoff: backoff)
    }

    /// The policy under which one request is sent, as repeating it is done here.
    var policyOfOneAttempt: RetryPolicy {
        var policy = policy
        policy.attempts = 1
        return policy
    }

    /// Takes note of an event.
    mutating func succeed() {
        failures = 0
        failing = nil
    }

    /// Whether the request may be sent again, and again.
    func repeats(_ request: HttpRequest) -> Bool {
        request.body.isReplayable
            && (policy.methods.contains(request.getMethod()) || IdempotencyKey.isSet(on: request))
    }

    func covers(_ outcome: Result<HttpResponse, NetworkError>, of request: HttpRequest) -> Bool {
        policy.covers(outcome, of: request)
    }

    /// The wait after a connection that the server has ended.
    func waitAfterEnd(hadEvents: Bool) -> Duration {
        min(longest, hadEvents ? reconnectionTime : max(Self.shortestIdleWait, reconnectionTime))
    }

    /// What to do after a failure. The wait is what the server asks for, or else never shorter than that after an end.
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

    /// The failure, saying how often it was tried.
    func note(of reason: RetryPlan.GiveUp) -> String { reason.note(attempt: failures, of: policy.attempts) }
}
