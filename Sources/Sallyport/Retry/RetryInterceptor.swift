import Foundation
import SallyportTransport

/// Sends a request again while that may help, through all the stages that come after this one.
struct RetryInterceptor: Interceptor {
    /// For requests that have none of their own.
    private let policy: RetryPolicy?
    private let time: RetryTime
    private let hooks: [@Sendable (RetryNotice) -> Void]
    private let tokens: Locked<RetryTokens>

    init(_ configuration: HttpClientConfiguration) {
        policy = configuration.retry
        time = configuration.retryTime
        hooks = configuration.retryHooks
        tokens = Locked(RetryTokens(configuration.retryBudget, at: time.now()))
    }

    func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
        guard let policy = request.retry ?? policy else { return try await next(request) }
        let start = time.now()
        let limit = [next.timeLeft(for: request), policy.longestTime].compactMap(\.self).min()
        let request = policy.prepared(request)
        var attempt = 0
        while true {
            attempt += 1
            let outcome = await send(request, next, within: policy.attemptTimeout)
            if case .success(let response) = outcome, !policy.statuses.contains(response.status.code) {
                tokens.withLock { $0.succeed(at: time.now()) }
            }
            guard policy.covers(outcome, of: request) else { return try outcome.made(in: attempt).get() }
            let left = limit.map { $0 - (time.now() - start) }
            switch plan(after: outcome, of: request, attempt, policy, left: left) {
            case .giveUp(let reason): return try outcome.made(in: attempt, of: policy, reason).get()
            case .wait(let delay):
                let notice = RetryNotice(request: request, outcome: outcome, attempt: attempt, delay: delay)
                for hook in hooks { hook(notice) }
                if case .success(let response) = outcome { await response.discard() }
                try await next.wait(for: delay, by: time)
            }
        }
    }

    private func send(
        _ request: HttpRequest,
        _ next: Next,
        within limit: Duration?
    ) async -> Result<HttpResponse, NetworkError> {
        let next = limit.map(next.limited(to:)) ?? next
        do throws(NetworkError) {
            return .success(try await next(request))
        } catch {
            return .failure(error)
        }
    }

    private func plan(
        after outcome: Result<HttpResponse, NetworkError>,
        of request: HttpRequest,
        _ attempt: Int,
        _ policy: RetryPolicy,
        left: Duration?
    ) -> RetryPlan {
        let retryAfter = (try? outcome.get()).flatMap { RetryAfter.wait($0, now: time.date()) }
        let plan = policy.plan(afterAttempt: attempt, retryAfter: retryAfter, left: left)
        guard case .wait = plan else { return plan }
        if request.body.isSpent { return .giveUp(.body) }
        if !tokens.withLock({ $0.take(at: time.now()) }) { return .giveUp(.budget) }
        return plan
    }
}

extension RetryPolicy {
    /// The request as it is sent on each attempt.
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
    /// The outcome, saying how many attempts were made.
    fileprivate func made(
        in attempt: Int,
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
