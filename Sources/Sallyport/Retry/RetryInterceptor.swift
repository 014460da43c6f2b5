import SallyportStorage
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
        var number = 0
        while true {
            number += 1
            let attempt = call.attempt(number)
            let next = attempt.next.discarding(attempt.isRepeated)
            let outcome = await next.result(of: call.request)
            switch attempt.decide(after: outcome) {
            case .finish(let outcome): return try outcome.get()
            case .repeat(let event):
                if case .success(let response) = outcome { await response.discard() }
                try await driver.wait(event)
            }
        }
    }
}

/// A call that is repeated according to a policy. A class, so that the frame of a waiting call contains only a reference.
private final class RepeatableCall: Sendable {
    enum Decision {
        case finish(Result<HttpResponse, NetworkError>)
        case `repeat`(RetryEvent)
    }

    /// The request that all attempts send.
    let request: HttpRequest
    fileprivate let policy: RetryPolicy
    fileprivate let driver: RetryDriver
    private let next: Next
    private let timer: CallTimer
    /// The time after the start at which no further attempt may begin.
    private let limit: Duration?

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

    /// Returns an attempt that begins now. The first has the number 1.
    func attempt(_ number: Int) -> RepeatableAttempt {
        let next = policy.attemptTimeout.map(next.limited(to:)) ?? next
        return RepeatableAttempt(number: number, of: self, next: next)
    }

    /// Returns the plan after an attempt that the policy covers.
    ///
    /// - Parameter hasToken: `true` if the attempt has already taken a token from the budget.
    fileprivate func plan(
        after outcome: Result<HttpResponse, NetworkError>,
        of attempt: Int,
        hasToken: Bool
    ) -> RetryPlan {
        let left = limit.map { $0 - timer.elapsed }
        return driver.plan(after: outcome, isResumption: hasToken) { retryAfter in
            let plan = policy.plan(afterAttempt: attempt, retryAfter: retryAfter, left: left)
            if case .wait = plan, request.body.isSpent { return .giveUp(.body) }
            return plan
        }
    }
}

/// One attempt of a call that a retry policy may repeat.
private final class RepeatableAttempt: Sendable {
    /// The stages to send the request through.
    let next: Next
    private let number: Int
    private let call: RepeatableCall
    /// The time at which the next attempt is due, if the head of the last response has decided it.
    private let due = Locked<Duration?>(nil)
    private let hasToken = Locked(false)

    init(number: Int, of call: RepeatableCall, next: Next) {
        self.number = number
        self.call = call
        self.next = next
    }

    /// Decides whether the call is repeated after a response, before the body of the response has been received.
    func isRepeated(after response: HttpResponse) -> Bool {
        let outcome = Result<HttpResponse, NetworkError>.success(response)
        due.withLock { $0 = nil }
        guard call.policy.covers(outcome, of: call.request), case .wait(let delay) = plan(after: outcome) else {
            return false
        }
        due.withLock { $0 = call.driver.time.now() + delay }
        return true
    }

    private func plan(after outcome: Result<HttpResponse, NetworkError>) -> RetryPlan {
        let plan = call.plan(after: outcome, of: number, hasToken: hasToken.withLock { $0 })
        if case .wait = plan { hasToken.withLock { $0 = true } }
        return plan
    }

    /// Decides whether the call is repeated.
    @inline(never)
    func decide(after outcome: Result<HttpResponse, NetworkError>) -> RepeatableCall.Decision {
        let policy = call.policy
        let isCovered = policy.covers(outcome, of: call.request)
        if case .success(let response) = outcome, !isCovered,
            policy.decision != nil || !policy.statuses.contains(response.status.code)
        {
            call.driver.recordSuccess()
        }
        guard isCovered else { return .finish(outcome.counting(number)) }
        var earlyPlan: RetryPlan?
        // Only the beginning of this response has been received, so it cannot be returned.
        if (try? outcome.get().isCut) == true, let due = due.withLock({ $0 }) {
            earlyPlan = .wait(max(.zero, due - call.driver.time.now()))
        }
        switch earlyPlan ?? plan(after: outcome) {
        case .giveUp(let reason): return .finish(outcome.counting(number, of: policy, reason))
        case .wait(let delay):
            return .repeat(RetryEvent(request: call.request, outcome: outcome, attempt: number, delay: delay))
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
