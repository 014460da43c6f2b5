import SallyportTransport

/// What ``HttpClientConfiguration/onRetry(_:)`` is told before each wait.
public struct RetryNotice: Sendable {
    /// The request that is sent again.
    public let request: HttpRequest

    /// What came of the attempt before: a response whose body is given up, or an error.
    public let outcome: Result<HttpResponse, NetworkError>

    /// Which attempt that was; the first is 1.
    public let attempt: Int

    /// How long is waited before the next one.
    public let delay: Duration
}
