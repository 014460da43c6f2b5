import SallyportTransport

/// Decides, for an app, whether a call is sent again.
///
/// It is asked once ``HttpClientConfiguration/retry`` has done what it can, of responses of any status and of errors
/// alike, but for a call that was cancelled or whose client was closed. Each further attempt passes the
/// ``RequestAdapter`` again.
///
/// ```swift
/// struct TokenRetrier: RequestRetrier {
///     let tokens: TokenKeeper
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
    /// Decides about one outcome.
    ///
    /// - Parameters:
    ///   - request: The request, as the interceptors have left it. The one that was sent is that of the response.
    ///   - outcome: The response or the error.
    ///   - attempt: How often the retrier has been asked about this call, this time included.
    /// - Returns: What to do. After ten attempts, at the end of the call's time, or for a body that can be sent only
    ///   once, the outcome stands all the same.
    func retry(
        _ request: HttpRequest,
        after outcome: Result<HttpResponse, NetworkError>,
        attempt: Int
    ) async -> RetryDecision
}

/// What a ``RequestRetrier`` decides.
public enum RetryDecision: Sendable, Hashable {
    /// Send the request again, at once.
    case retry
    /// Send the request again after a while.
    case retryAfter(Duration)
    /// Give the outcome to the caller.
    case doNotRetry
}
