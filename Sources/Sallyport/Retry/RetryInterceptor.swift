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
        guard let policy = request.retry ?? policy else { return try await next(request) }
        let timer = CallTimer(next, by: driver.time)
        let limit = [next.timeLeft(for: request), policy.longestTime].compactMap(\.self).min()
        let request = policy.prepared(request)
        var attempt = 0
        while true {
            attempt += 1
            let attemptNext = policy.attemptTimeout.map(next.limited(to:)) ?? next
            let outcome = await attemptNext.result(of: request)
            if case .success(let response) = outcome, !policy.statuses.contains(response.status.code) {
                driver.recordSuccess()
            }
            guard policy.covers(outcome, of: request) else { return try outcome.counting(attempt).get() }
            let left = limit.map { $0 - timer.elapsed }
            let plan = driver.plan(after: outcome) { retryAfter in
                let plan = policy.plan(afterAttempt: attempt, retryAfter: retryAfter, left: left)
                if case .wait = plan, request.body.isSpent { return .giveUp(.body) }
                return plan
            }
            switch plan {
            case .giveUp(let reason): return try outcome.counting(attempt, of: policy, reason).get()
            case .wait(let delay):
                if case .success(let response) = outcome { await response.discard() }
                try await driver.wait(
                    RetryEvent(request: request, outcome: outcome, attempt: attempt, delay: delay)
                )
            }
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
