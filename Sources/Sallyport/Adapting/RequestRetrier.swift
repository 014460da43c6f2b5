import SallyportTransport

/// A type that decides whether a call is sent again.
///
/// It is consulted after ``HttpClientConfiguration/retry`` has made its attempts, for responses of any status and for errors, except
/// if the call was cancelled or its client was closed. The ``RequestAdapter`` runs again for each further attempt.
///
/// After an error such as ``NetworkError/connectionFailed(_:)``, nothing of the request was sent, unless
/// ``NetworkFailure/mayHaveBeenSentEarlier`` is `true`.
///
/// ```swift
/// struct TokenRetrier: RequestRetrier {
///     let tokens: TokenProvider
///     func retry(
///         _ request: HttpRequest,
///         after outcome: Result<HttpResponse, NetworkError>,
///         attempt: Int
///     ) async -> RetryDecision {
///         guard case .success(let response) = outcome, response.status == .unauthorized, attempt == 1 else {
///             return .doNotRetry
///         }
///         return await tokens.refresh() ? .retry : .doNotRetry
///     }
/// }
/// config.retrier = TokenRetrier(tokens: tokens)
/// ```
public protocol RequestRetrier: Sendable {
    /// Returns the decision for one outcome.
    ///
    /// - Parameters:
    ///   - request: The request, as changed by the interceptors; see ``HttpResponse/request`` for the request as it was sent.
    ///   - outcome: The response or the error.
    ///   - attempt: The number of times that the retrier has been consulted for this call, including this time.
    /// - Returns: The decision. The call is not sent again after ten attempts, if the call's time is over, or if its body can be sent
    ///   only once.
    func retry(
        _ request: HttpRequest,
        after outcome: Result<HttpResponse, NetworkError>,
        attempt: Int
    ) async -> RetryDecision
}

/// The decision of a ``RequestRetrier``.
public enum RetryDecision: Sendable, Hashable {
    /// Send the request again immediately.
    case retry
    /// Send the request again after a delay.
    case retryAfter(Duration)
    /// Return the outcome to the caller.
    case doNotRetry
}

/// Sends a request again as long as the app's retrier decides to.
struct RetrierInterceptor: Interceptor {
    /// The maximum number of attempts, which ends calls without a timeout whose retrier always retries.
    private static let maximumAttempts = 10

    private let retrier: any RequestRetrier
    private let time: TimeSource

    init(_ retrier: any RequestRetrier, time: TimeSource) {
        self.retrier = retrier
        self.time = time
    }

    func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
        let timer = CallTimer(next, by: time)
        let limit = next.timeLeft(for: request)
        var earlier = 0
        var attempt = 0
        while true {
            attempt += 1
            let outcome = await next.result(of: request)
            guard attempt < Self.maximumAttempts, !request.body.isSpent, outcome.isRetryable,
                let delay = await retrier.retry(request, after: outcome, attempt: attempt).delay,
                limit.map({ delay < $0 - timer.elapsed }) ?? true
            else { return try outcome.counting(earlier, attempt).get() }
            if case .success(let response) = outcome {
                earlier += response.attempts
                await response.discard()
            } else {
                earlier += 1
            }
            if delay > .zero { try await next.wait(for: delay, by: time) }
        }
    }
}

extension RetryDecision {
    /// The delay before the next attempt; `nil` if there is none.
    fileprivate var delay: Duration? {
        switch self {
        case .retry: .zero
        case .retryAfter(let delay): max(.zero, delay)
        case .doNotRetry: nil
        }
    }
}

extension Result<HttpResponse, NetworkError> {
    /// A Boolean value that indicates whether the retrier is consulted about the outcome.
    fileprivate var isRetryable: Bool {
        switch self {
        case .failure(.cancelled), .failure(.clientClosed): false
        default: true
        }
    }

    /// Returns the outcome with the number of attempts that were made.
    ///
    /// - Parameters:
    ///   - earlier: The number of times that the request had been sent before the last decision to retry.
    ///   - attempt: The number of attempts of the retrier.
    fileprivate func counting(_ earlier: Int, _ attempt: Int) -> Self {
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
