import Foundation
import SallyportTransport

/// The conditions under which a request is sent again, the number of attempts, and the waits between them.
///
/// Nothing is retried unless the client or the request has a policy. A request that may change something is repeated only if its
/// method is idempotent (RFC 9110, section 9.2.2), if it carries an `Idempotency-Key`, or if nothing of it was sent. A refusal that the
/// server claims to have made before processing, such as GOAWAY of HTTP/2, is not sufficient; see
/// ``NetworkFailure/mayHaveBeenSentEarlier``.
///
/// ```swift
/// let client = HttpClient.createClient { config in
///     config.retry = .exponential(attempts: 4)
/// }
/// ```
///
/// A body that can be sent only once is not sent again. A streamed call is not repeated after the app has received the response's
/// head. Certificate failures, pin mismatches and invalid requests are never retried.
public struct RetryPolicy: Sendable {
    /// The maximum number of times that a request is sent, including the first.
    public var attempts: Int

    /// The waits before further attempts, if the server does not send `Retry-After`.
    public var backoff: RetryBackoff

    /// The methods that may be repeated without an `Idempotency-Key`. The default is the idempotent methods.
    public var methods = Self.idempotentMethods

    /// The statuses that are retried. The default is 408, 429, 500, 502, 503 and 504.
    public var statuses: Set<Int> = [408, 429, 500, 502, 503, 504]

    /// The kinds of failure that are retried. The default is all network failures except TLS failures and failures of invalid responses.
    public var errors: Set<ErrorKind> = [
        .networkUnavailable, .hostNotFound, .connectionFailed, .timeout, .connectionLost, .incompleteBody,
    ]

    /// The longest `Retry-After` (RFC 9110, section 10.2.3) that is accepted. The default is 60 seconds.
    ///
    /// A response that asks for a longer wait is returned to the caller.
    public var longestRetryAfter = Duration.seconds(60)

    /// The maximum duration of one attempt, including redirects and the body; `nil`, the default, if only the call's total applies.
    ///
    /// For a streamed call it limits each phase up to the response's head.
    public var attemptTimeout: Duration?

    /// The maximum time between the start of the call and the start of another attempt; `nil`, the default, if only the call's total
    /// applies.
    public var longestTime: Duration?

    /// A Boolean value that indicates whether the client adds an `Idempotency-Key` to requests whose method is not in ``methods``, so
    /// that they may be repeated. The default is `false`.
    ///
    /// Each call has a new key, which all its attempts share. A key that the app has set is preserved, and allows the request to be
    /// repeated even if this property is `false`. The server must support such keys.
    public var addsIdempotencyKey = false

    /// The decision in code that replaces ``methods``, ``statuses`` and ``errors``; `nil` if these decide.
    private(set) var decision: (@Sendable (HttpRequest, Result<HttpResponse, NetworkError>) -> Bool)?
    /// `true` if the decision in code cannot repeat a request that the server may have received.
    private var isLimitedToUnsent = false

    /// Creates a policy.
    ///
    /// - Parameters:
    ///   - attempts: The maximum number of times that a request is sent, including the first.
    ///   - backoff: The waits before further attempts.
    public init(attempts: Int, backoff: RetryBackoff) {
        self.attempts = attempts
        self.backoff = backoff
    }

    /// Returns a policy that doubles the maximum wait after each attempt. Each wait is a random part of the maximum.
    ///
    /// - Parameters:
    ///   - attempts: The maximum number of times that a request is sent, including the first.
    ///   - base: The maximum wait before the second attempt.
    ///   - cap: The maximum wait before any attempt.
    public static func exponential(
        attempts: Int = 3,
        base: Duration = .milliseconds(500),
        cap: Duration = .seconds(20)
    ) -> RetryPolicy {
        RetryPolicy(attempts: attempts, backoff: .exponential(base: base, cap: cap))
    }

    /// Returns a policy with the same wait before each further attempt.
    ///
    /// - Parameters:
    ///   - attempts: The maximum number of times that a request is sent, including the first.
    ///   - delay: The wait before each of the further attempts.
    public static func constant(attempts: Int = 3, delay: Duration) -> RetryPolicy {
        RetryPolicy(attempts: attempts, backoff: .constant(delay))
    }

    /// Returns a policy that decides in code whether a request is sent again.
    ///
    /// ```swift
    /// config.retry = .custom { request, outcome in
    ///     guard case .success(let response) = outcome else { return false }
    ///     return response.status == 423 && request.getMethod() == .get
    /// }
    /// ```
    ///
    /// Resumable uploads, which repeat nothing, continue after the default statuses and errors. The number of attempts, the waits, `Retry-After`, the budget and the time that is left limit the attempts as with any policy. A
    /// failure that another attempt cannot change, such as an invalid request, is not passed to the closure.
    ///
    /// - Parameters:
    ///   - attempts: The maximum number of times that a request is sent, including the first.
    ///   - backoff: The waits before further attempts.
    ///   - decide: A closure that returns `true` if the request may be sent again after the outcome. After an error such as
    ///     ``NetworkError/connectionFailed(_:)``, nothing of the request was sent, unless ``NetworkFailure/mayHaveBeenSentEarlier`` is
    ///     `true`. The closure may be called twice for one response, before and after its body has been received.
    public static func custom(
        attempts: Int = 3,
        backoff: RetryBackoff = .exponential(base: .milliseconds(500), cap: .seconds(20)),
        _ decide: @escaping @Sendable (HttpRequest, Result<HttpResponse, NetworkError>) -> Bool
    ) -> RetryPolicy {
        var policy = RetryPolicy(attempts: attempts, backoff: backoff)
        policy.decision = decide
        return policy
    }

    /// A policy that sends each request once, for requests of a client that retries others.
    public static let never = RetryPolicy(attempts: 1, backoff: .constant(.zero))

    /// The idempotent methods of RFC 9110, section 9.2.2.
    public static let idempotentMethods: Set<HttpMethod> = [.get, .head, .options, .trace, .put, .delete]
}

extension RetryPolicy {
    /// The kinds of failure that a policy can retry, each named after its ``NetworkError``.
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
        /// ``NetworkError/networkError(_:)``, such as an error of another type that an interceptor throws.
        case networkError

        /// Creates the kind of an error. Returns `nil` for errors that are never retried.
        package init?(_ error: NetworkError) {
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

extension RetryPolicy {
    /// Prevents retries of a request that the server may have received.
    package mutating func forbidRepeating(_ method: HttpMethod) {
        methods.remove(method)
        addsIdempotencyKey = false
        isLimitedToUnsent = true
    }

    /// Returns a Boolean value that indicates whether an outcome is retried, provided that the request may be sent again after it.
    package func covers(_ outcome: Result<HttpResponse, NetworkError>, of request: HttpRequest) -> Bool {
        switch outcome {
        case .success(let response):
            // A response of the cache would be the same again.
            if let cacheStatus = response.cacheStatus, cacheStatus.forward == nil { return false }
            if let decision { return !isLimitedToUnsent && decision(request, outcome) }
            return statuses.contains(response.status.code) && isRepeatable(request)
        case .failure(let error):
            guard let kind = ErrorKind(error) else { return false }
            if let decision {
                return !(isLimitedToUnsent && error.mayHaveReachedServer(request)) && decision(request, outcome)
            }
            guard errors.contains(kind) else { return false }
            return isRepeatable(request) || !error.mayHaveReachedServer(request)
        }
    }

    /// Returns a Boolean value that indicates whether a request may be sent again even if the server has received it.
    package func isRepeatable(_ request: HttpRequest) -> Bool {
        methods.contains(request.getMethod()) || IdempotencyKey.isSet(on: request)
    }
}

extension NetworkError {
    /// Returns a Boolean value that indicates whether the server may have received a request.
    ///
    /// If the failure is about another request, the server has responded to this one with a redirect.
    fileprivate func mayHaveReachedServer(_ request: HttpRequest) -> Bool {
        if let failed = failure.request, failed != request.description { return true }
        return mayHaveReachedServer
    }
}

/// The `Idempotency-Key` header (draft-ietf-httpapi-idempotency-key-header), by which a server recognizes a repeated request.
package enum IdempotencyKey {
    /// Returns a Boolean value that indicates whether a request has a key.
    package static func isSet(on request: HttpRequest) -> Bool {
        request.getHeader(name: NetworkConstants.headerIdempotencyKey) != nil
    }

    /// Adds a new random key to a request, as a string of RFC 8941.
    package static func add(to request: inout HttpRequest) {
        let key = UUID().uuidString.lowercased()
        request.setHeader(name: NetworkConstants.headerIdempotencyKey, value: "\"\(key)\"")
    }
}
