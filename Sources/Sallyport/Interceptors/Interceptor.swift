import SallyportTransport

/// A type that handles each request of a client and its response.
///
/// An interceptor may change the request, answer it itself, refuse it by throwing an error, or send it more than once. The built-in
/// stages of the client, such as retries, redirects, cookies and authentication, are interceptors too. They change requests and
/// responses with the same public API. An interceptor of your own can
///
/// - send a request again, after ``HttpResponse/discard()``, if ``Next/timeLeft(for:)`` and ``RequestBody/isSpent`` allow it;
/// - wait with ``Next/wait(for:)``, or for the user with ``Next/pausingTimeout(_:)``;
/// - attach secrets for one origin with ``HttpRequest/attach(authorization:)`` or ``HttpRequest/attach(header:value:)``, and remove
///   them with ``HttpRequest/detachSecrets()`` and ``HttpRequest/removeSecrets()``.
///
/// To change or check requests and responses without waiting for anything, implement ``MessageInterceptor`` instead.
/// <doc:Choosing-an-Interceptor> helps to choose between interceptors and simpler hooks, such as `onRequest` of ``HttpClientConfiguration``.
/// ``HttpClientConfiguration`` has a list for each position: ``HttpClientConfiguration/addInterceptor(_:)``,
/// ``HttpClientConfiguration/authentication``, ``HttpClientConfiguration/sealing`` and
/// ``HttpClientConfiguration/addWireInterceptor(_:)``.
///
/// ```swift
/// struct Timing: Interceptor {
///     func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
///         let start = ContinuousClock.now
///         let response = try await next(request)
///         print(response, ContinuousClock.now - start)
///         return response
///     }
/// }
/// ```
public protocol Interceptor: Sendable {
    /// Handles one request.
    ///
    /// - Parameters:
    ///   - request: The request, as changed by the previous interceptors.
    ///   - next: The later interceptors and the server, to which a request is sent by calling it.
    /// - Returns: The response for the previous interceptors.
    /// - Throws: ``NetworkError``. The caller receives any other error as ``NetworkError/networkError(_:)``.
    func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse

    /// The name in an ``InterceptorTrace``. The default is the name of the type.
    var traceName: String { get }
}

extension Interceptor {
    /// The name of the type.
    public var traceName: String { "\(Self.self)" }
}

/// The interceptors after the current one, and the transport.
public struct Next: Sendable {
    let pipeline: Pipeline
    let position: Int
    let call: Call

    /// Sends a request to the next interceptor. It may be called several times in succession.
    ///
    /// - Parameter request: The request to send.
    /// - Returns: The response.
    /// - Throws: ``NetworkError``, with a description of the request.
    public func callAsFunction(_ request: HttpRequest) async throws(NetworkError) -> HttpResponse {
        try await pipeline.run(request, from: position, of: call)
    }

    /// Returns a copy that also captures collected bodies as they were before decoding, if `isCapturing` is `true`.
    func capturingEncodedBody(_ isCapturing: Bool) -> Next {
        Next(pipeline: pipeline, position: position, call: call.capturingEncodedBody(isCapturing))
    }

    /// Returns a copy that does not wait for the complete body of a response that the stage discards.
    ///
    /// - Parameter discards: A closure that returns `true` if the stage will discard the response. It is called before the body is
    ///   collected.
    package func discarding(_ discards: @escaping @Sendable (HttpResponse) -> Bool) -> Next {
        // Nothing collects the body of a streamed call.
        if call.scope != nil { return self }
        return Next(pipeline: pipeline, position: position, call: call.discarding(discards))
    }

    /// Returns the same stages in a call of its own, which is not part of the current call and not traced.
    func background(in scope: ExchangeScope) -> Next {
        Next(pipeline: pipeline, position: position, call: call.background(in: scope))
    }

    /// Returns a copy that traces its requests.
    func traced(by stage: TracedStage?) -> Next {
        Next(pipeline: pipeline, position: position, call: call.traced(by: stage))
    }

    /// Sends a request to the next interceptor, and returns its response or error.
    func result(of request: HttpRequest) async -> Result<HttpResponse, NetworkError> {
        do throws(NetworkError) {
            return .success(try await self(request))
        } catch {
            return .failure(error)
        }
    }
}

/// Methods for interceptors that send a request more than once, or wait.
extension Next {
    /// Returns the time that is left for the call; `nil` if it has no limit.
    ///
    /// - Parameter request: The request. Its total timeout is the limit.
    public func timeLeft(for request: HttpRequest) -> Duration? {
        call.timeLeft(of: request.effectiveTimeouts)
    }

    /// Returns a copy with a further limit on the time of a request, in addition to the timeouts of the request.
    ///
    /// If the response body is streamed, each phase up to the head of the response is limited, and the body is not.
    ///
    /// - Parameter limit: The maximum time from now on, including redirects and the body.
    public func limited(to limit: Duration) -> Next {
        Next(pipeline: pipeline, position: position, call: call.limited(to: limit))
    }

    /// Runs work, such as a question to the user, without counting its time towards the timeouts of the call.
    ///
    /// ```swift
    /// struct ConfirmPayments: Interceptor {
    ///     func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
    ///         guard request.url?.contains("/payments") == true else { return try await next(request) }
    ///         let isConfirmed = try await next.pausingTimeout { try await askUser() }
    ///         if !isConfirmed { throw PaymentRefused() }
    ///         return try await next(request)
    ///     }
    /// }
    /// ```
    ///
    /// While the work runs, the total timeout of the call and the limits of ``limited(to:)``, ``RetryPolicy/attemptTimeout`` and
    /// ``RetryPolicy/longestTime`` do not advance, and ``timeLeft(for:)`` does not decrease, in any stage of the call. Pauses that
    /// are nested or run at the same time count once. The work itself has no limit, and ends early only if it responds to the
    /// cancellation of its task. A request that is sent during a pause is limited to the time that was left when it was sent.
    ///
    /// - Parameter work: The work.
    /// - Returns: The value that `work` returns.
    /// - Throws: The error that `work` throws.
    public nonisolated(nonsending) func pausingTimeout<Result, Failure: Error>(
        _ work: () async throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        let pauses = call.clock.pauses
        pauses?.begin()
        defer { pauses?.end() }
        return try await work()
    }

    /// Waits until a delay is over, the task is cancelled or the client is closed.
    ///
    /// - Parameter delay: The delay.
    /// - Throws: ``NetworkError/cancelled(_:)`` or ``NetworkError/clientClosed(_:)``, immediately.
    public func wait(for delay: Duration) async throws(NetworkError) {
        try await wait(for: delay, by: .system)
    }

    func wait(for delay: Duration, by time: TimeSource) async throws(NetworkError) {
        try await call.wait(for: delay, by: time)
    }
}
