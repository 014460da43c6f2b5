import SallyportTransport

/// Sends a request again as an app's retrier decides.
struct RetrierInterceptor: Interceptor {
    /// An app that always says yes must not go on for ever, where calls have no limit of time.
    private static let most = 10

    private let retrier: any RequestRetrier
    private let time: TimeSource

    init(_ retrier: any RequestRetrier, time: TimeSource) {
        self.retrier = retrier
        self.time = time
    }

    func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
        let start = time.now()
        let limit = next.timeLeft(for: request)
        var earlier = 0
        var attempt = 0
        while true {
            attempt += 1
            let outcome = await send(request, next)
            guard attempt < Self.most, !request.body.isSpent, outcome.isOpen,
                let delay = await retrier.retry(request, after: outcome, attempt: attempt).delay,
                limit.map({ delay < $0 - (time.now() - start) }) ?? true
            else { return try outcome.made(after: earlier, in: attempt).get() }
            if case .success(let response) = outcome {
                earlier += response.attempts
                await response.discard()
            } else {
                earlier += 1
            }
            if delay > .zero { try await next.wait(for: delay, by: time) }
        }
    }

    private func send(_ request: HttpRequest, _ next: Next) async -> Result<HttpResponse, NetworkError> {
        do throws(NetworkError) {
            return .success(try await next(request))
        } catch {
            return .failure(error)
        }
    }
}

extension RetryDecision {
    /// The wait before the next attempt; `nil` if there is none.
    fileprivate var delay: Duration? {
        switch self {
        case .retry: .zero
        case .retryAfter(let delay): max(.zero, delay)
        case .doNotRetry: nil
        }
    }
}

extension Result<HttpResponse, NetworkError> {
    /// Whether there is anything to decide.
    fileprivate var isOpen: Bool {
        switch self {
        case .failure(.cancelled), .failure(.clientClosed): false
        default: true
        }
    }

    /// The outcome, saying how many attempts were made.
    fileprivate func made(after earlier: Int, in attempt: Int) -> Self {
        switch self {
        case .success(var response):
            if earlier > 0 { response.attempts += earlier }
            return .success(response)
        case .failure(var error):
            if attempt > 1 { error.failure.reason += ", in attempt \(attempt) of the app's retrier" }
            return .failure(error)
        }
    }
}
