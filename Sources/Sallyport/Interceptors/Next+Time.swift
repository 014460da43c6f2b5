import SallyportTransport

/// What an interceptor needs that sends a request more than once.
extension Next {
    /// What is left of the call's time; `nil` if it has no limit.
    ///
    /// - Parameter request: The request, whose total is the limit.
    public func timeLeft(for request: HttpRequest) -> Duration? {
        call.timeLeft(of: request.timeouts(orElse: Timeouts()))
    }

    /// The same way, on which a request may take no longer than this, beside the limits that it has.
    ///
    /// A body that is streamed is not limited by it: then it limits each phase up to the response's head.
    ///
    /// - Parameter limit: How long it may take from now on, redirects and body included.
    public func limited(to limit: Duration) -> Next {
        Next(pipeline: pipeline, position: position, call: call.limited(to: limit))
    }

    /// Waits, until the task is cancelled or the client closed at most.
    ///
    /// - Parameter delay: How long to wait.
    /// - Throws: ``NetworkError/cancelled(_:)`` or ``NetworkError/clientClosed(_:)``, at once.
    public func wait(for delay: Duration) async throws(NetworkError) {
        try await wait(for: delay, by: .system)
    }

    func wait(for delay: Duration, by time: TimeSource) async throws(NetworkError) {
        try await call.wait(for: delay, by: time)
    }
}
