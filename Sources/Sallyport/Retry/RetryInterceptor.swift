import SallyportTransport

/// Repeats failed requests according to the retry policy, through all later stages.
struct RetryInterceptor: Interceptor {
    /// The policy for requests without a policy of their own.
    private let policy: RetryPolicy?
    private let driver: RetryDriver

    init(_ policy: RetryPolicy?, driver: RetryDriver) {
        self.policy = policy
        self.driver = driver
    }

    func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
        guard let call = RepeatableCall(request, orElse: policy, next: next, driver: driver) else {
            return try await next(request)
        }
        while true {
            let outcome = await call.nextAttempt().result(of: call.request)
            switch call.decide(after: outcome) {
            case .finish(let outcome): return try outcome.get()
            case .repeat(let event):
                if case .success(let response) = outcome { await response.discard() }
                try await driver.wait(event)
            }
        }
    }
}

/// A call that is repeated according to a policy. A class, so that the frame of a waiting call contains only a reference.
private final class RepeatableCall {
    enum Decision {
        case finish(Result<HttpResponse, NetworkError>)
        case `repeat`(RetryEvent)
    }

    /// The request that all attempts send.
    let request: HttpRequest
    private let policy: RetryPolicy
    private let next: Next
    private let driver: RetryDriver
    private let timer: CallTimer
    /// The time after the start at which no further attempt may begin.
    private let limit: Duration?
    private var attempt = 0

    /// Creates a call; `nil` if neither the request nor the client has a policy.
    // Not inlined: its local values would belong to the frame of the interceptor.
    @inline(never)
    init?(_ request: HttpRequest, orElse clientPolicy: RetryPolicy?, next: Next, driver: RetryDriver) {
        guard let policy = request.retry ?? clientPolicy else { return nil }
        self.policy = policy
        self.next = next
        self.driver = driver
        timer = CallTimer(next, by: driver.time)
        limit = [next.timeLeft(for: request), policy.longestTime].compactMap(\.self).min()
        self.request = policy.prepared(request)
    }

    /// Counts an attempt, and returns the stages to send it through.
    func nextAttempt() -> Next {
        attempt += 1
        return policy.attemptTimeout.map(next.limited(to:)) ?? next
    }

    /// Decides whether the call is repeated after an attempt.
    @inline(never)
    func decide(after outcome: Result<HttpResponse, NetworkError>) -> Decision {
        if case .success(let response) = outcome, !policy.statuses.contains(response.status.code) {
            driver.recordSuccess()
        }
        guard policy.covers(outcome, of: request) else { return .finish(outcome.counting(attempt)) }
        let left = limit.map { $0 - timer.elapsed }
        let plan = driver.plan(after: outcome) { retryAfter in
            let plan = policy.plan(afterAttempt: attempt, retryAfter: retryAfter, left: left)
            if case .wait = plan, request.body.isSpent { return .giveUp(.body) }
            return plan
        }
        switch plan {
        case .giveUp(let reason): return .finish(outcome.counting(attempt, of: policy, reason))
        case .wait(let delay):
            return .repeat(RetryEvent(request: request, outcome: outcome, attempt: attempt, delay: delay))
        }
    }
}

extension RetryPolicy {
    /// Returns the request that all attempts send, with an `Idempotency-Key` if it needs one.
    fileprivate func prepared(_ request: HttpRequest) -> HttpRequest {
        guard attempts > 1, addsIdempotencyKey, !methods.contains(request.getMethod()),
            !IdempotencyKey.isSet(on: request)
        else { return request }
        var request = request
        IdempotencyKey.add(to: &request)
        return request
    }
}

extension Result<HttpResponse, NetworkError> {
    /// Returns the outcome with the number of attempts.
    fileprivate func counting(
        _ attempt: Int,
        of policy: RetryPolicy? = nil,
        _ reason: RetryPlan.GiveUp? = nil
    ) -> Self {
        switch self {
        case .success(var response):
            if attempt > 1 { response.attempts += attempt - 1 }
            return .success(response)
        case .failure(var error):
            if let policy, let reason {
                error.failure.reason += reason.note(attempt: attempt, of: policy.attempts)
            } else if attempt > 1 {
                error.failure.reason += ", in attempt \(attempt)"
            }
            return .failure(error)
        }
    }
}
