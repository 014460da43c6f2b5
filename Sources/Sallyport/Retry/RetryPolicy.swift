import SallyportTransport

/// When a request is sent again, how often, and how long to wait before.
///
/// Nothing is retried unless a client or a request says so. A request that may change something is repeated only if
/// its method is idempotent (RFC 9110, section 9.2.2), if it carries an `Idempotency-Key`, or if nothing of it had
/// left.
///
/// ```swift
/// let client = HttpClient.createClient { config in
///     config.retry = .exponential(attempts: 4)
/// }
/// ```
///
/// A body that can be sent only once is not sent again, and a streamed response is never replaced once its head has
/// been handed over. Failures of certificates and pins, and requests that are wrong, are never retried.
public struct RetryPolicy: Sendable, Hashable {
    /// How often a request is sent at most, the first time included.
    public var attempts: Int

    /// How long to wait before each of the further attempts, where the server does not say.
    public var backoff: RetryBackoff

    /// The methods that may be repeated without an `Idempotency-Key`: the idempotent ones, unless set.
    public var methods = Self.idempotentMethods

    /// The statuses that are worth another attempt: 408, 429, 500, 502, 503 and 504, unless set.
    public var statuses: Set<Int> = [408, 429, 500, 502, 503, 504]

    /// The kinds of failure that are worth another attempt: all but those of TLS and of what came, unless set.
    public var errors: Set<ErrorKind> = [
        .networkUnavailable, .hostNotFound, .connectionFailed, .timeout, .connectionLost, .incompleteBody,
    ]

    /// The longest `Retry-After` (RFC 9110, section 10.2.3) that is waited for, in full; 60 seconds unless set.
    ///
    /// A response that asks for more is given to the caller as it is.
    public var longestRetryAfter = Duration.seconds(60)

    /// How long one attempt may take, its redirects and its body included; only the call's own total limits it unless
    /// set.
    ///
    /// Of a streamed call it limits each phase up to the response's head.
    public var attemptTimeout: Duration?

    /// How long after the call's beginning another attempt may begin; only the call's own total limits it unless set.
    public var longestTime: Duration?

    /// Whether a request whose method is not among ``methods`` is given an `Idempotency-Key`, and may be repeated then.
    ///
    /// The key is a new one for each call, and the same on each of its attempts. One that the app has set is kept, and
    /// lets the request be repeated even where this is `false`. The server has to know such keys.
    public var addsIdempotencyKey = false

    /// Makes a policy.
    ///
    /// - Parameters:
    ///   - attempts: How often a request is sent at most, the first time included.
    ///   - backoff: How long to wait before each of the further attempts.
    public init(attempts: Int, backoff: RetryBackoff) {
        self.attempts = attempts
        self.backoff = backoff
    }

    /// Waits twice as long each time at most, and a random part of that.
    ///
    /// - Parameters:
    ///   - attempts: How often a request is sent at most, the first time included.
    ///   - base: The longest wait before the second attempt.
    ///   - cap: The longest wait of all.
    public static func exponential(
        attempts: Int = 3,
        base: Duration = .milliseconds(500),
        cap: Duration = .seconds(20)
    ) -> RetryPolicy {
        RetryPolicy(attempts: attempts, backoff: .exponential(base: base, cap: cap))
    }

    /// Waits equally long each time.
    ///
    /// - Parameters:
    ///   - attempts: How often a request is sent at most, the first time included.
    ///   - delay: The wait before each of the further attempts.
    public static func constant(attempts: Int = 3, delay: Duration) -> RetryPolicy {
        RetryPolicy(attempts: attempts, backoff: .constant(delay))
    }

    /// Sends each request once: for a request whose client retries others.
    public static let never = RetryPolicy(attempts: 1, backoff: .constant(.zero))

    /// The idempotent methods of RFC 9110, section 9.2.2.
    public static let idempotentMethods: Set<HttpMethod> = [.get, .head, .options, .trace, .put, .delete]
}

extension RetryPolicy {
    /// The failures that a policy can choose from, each named after its ``NetworkError``.
    public enum ErrorKind: Sendable, Hashable, CaseIterable {
        /// ``NetworkError/networkUnavailable(_:)``.
        case networkUnavailable
        /// ``NetworkError/hostNotFound(_:)``.
        case hostNotFound
        /// ``NetworkError/connectionFailed(_:)``.
        case connectionFailed
        /// ``NetworkError/tlsFailed(_:)``.
        case tlsFailed
        /// ``NetworkError/timeout(_:)``.
        case timeout
        /// ``NetworkError/connectionLost(_:)``.
        case connectionLost
        /// ``NetworkError/incompleteBody(_:)``.
        case incompleteBody
        /// ``NetworkError/invalidResponse(_:)``.
        case invalidResponse
        /// ``NetworkError/undecodableBody(_:)``.
        case undecodableBody
        /// ``NetworkError/networkError(_:)``, such as what an interceptor throws.
        case networkError

        /// The kind of an error; `nil` if another attempt would never help, or must not be made.
        init?(_ error: NetworkError) {
            switch error {
            case .networkUnavailable: self = .networkUnavailable
            case .hostNotFound: self = .hostNotFound
            case .connectionFailed: self = .connectionFailed
            case .tlsFailed: self = .tlsFailed
            case .timeout: self = .timeout
            case .connectionLost: self = .connectionLost
            case .incompleteBody: self = .incompleteBody
            case .invalidResponse: self = .invalidResponse
            case .undecodableBody: self = .undecodableBody
            case .networkError: self = .networkError
            case .invalidRequest, .certificateRefused, .pinMismatch, .responseTooLarge, .tooManyRedirects, .cancelled,
                .clientClosed:
                return nil
            }
        }
    }
}
